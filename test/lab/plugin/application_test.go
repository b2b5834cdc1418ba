//go:build lab && linux

package plugin

import (
	"context"
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// application is what an Application says, as far as tests ask.
type application struct {
	Status struct {
		SourceType string
		Conditions []struct{ Type, Message string }
		Resources  []struct{ Kind, Name string }
	}
}

// failure is why Argo CD has no manifests of it; "" if it has, or has not looked yet.
func (a application) failure() string {
	for _, c := range a.Status.Conditions {
		if c.Type == "ComparisonError" {
			return c.Message
		}
	}
	return ""
}

// apply makes an Application of a directory, which Argo CD looks at and does not sync.
func apply(w *labtest.World, r *labtest.Repository, name, path string, plugin labtest.Object) {
	w.Helper()
	source := labtest.Object{"repoURL": r.URL, "targetRevision": "main", "path": path}
	if plugin != nil {
		source["plugin"] = plugin
	}
	w.Must(apiserver.Admin, w.Text(labtest.Object{
		"apiVersion": "argoproj.io/v1alpha1", "kind": "Application",
		"metadata": labtest.Object{"name": name, "namespace": namespace},
		"spec": labtest.Object{
			"project": "default", "source": source,
			"destination": labtest.Object{"server": "https://kubernetes.default.svc", "namespace": "tsunaro-system"},
		},
	}), "create", "-f", "-")
}

// becomes waits until an Application is as wanted, and returns it.
func becomes(w *labtest.World, name string, is func(application) bool) (a application) {
	w.Helper()
	w.Await("Argo CD has looked at "+name, func(ctx context.Context) error {
		u, err := w.Applications().Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		b, err := u.MarshalJSON()
		if err != nil {
			return err
		}
		a = application{}
		if err = json.Unmarshal(b, &a); err == nil && !is(a) {
			err = fmt.Errorf("it is %v", u.Object["status"])
		}
		return err
	})
	return a
}

// ask decodes an answer of Argo CD's API.
func ask(w *labtest.World, path string, into any) {
	w.Helper()
	w.Await("Argo CD answers "+path, func(ctx context.Context) error {
		return w.AskArgoCD(ctx, path, into)
	})
}
