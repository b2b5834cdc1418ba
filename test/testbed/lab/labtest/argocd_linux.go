package labtest

import (
	"context"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
)

// Applications are Argo CD's, in its own namespace.
func (w *World) Applications() dynamic.ResourceInterface {
	w.Helper()
	return w.Dynamic(apiserver.Admin).Resource(schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}).Namespace("argocd")
}

// AskArgoCD decodes what Argo CD's API answers to GET, asked once. The path begins with
// a slash.
func (w *World) AskArgoCD(ctx context.Context, path string, into any) error {
	text, err := w.Get(ctx, lab.OnNode, "http://"+lab.ArgoCDAddress+path)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), into)
}
