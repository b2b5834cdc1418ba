//go:build lab && linux

package blocked

import (
	"context"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// A CRD without rules, as that of a later version may be in some: the minter refuses
// what the API server then takes.
//
// REQ: RN-11, ST-09, CF-06
func laterCRD(t *testing.T) {
	w := world(t)
	format := newGateway(t, w, "later-format", "home", guarded)
	address := newGateway(t, w, "later-address", "home", guarded)
	set(format.manifest, int64(2), "spec", "renderFormat")
	set(address.manifest, "10.98.0.9", "spec", "loadBalancerIP")
	for _, g := range []*gateway{format, address} {
		if err := put(t.Context(), w, g.manifest); err == nil || !strings.Contains(err.Error(), "must") {
			t.Errorf("%s: the CRD takes it: %v", g.name, err)
		}
	}

	crds := w.Dynamic(apiserver.Admin).Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	is, err := crds.Get(t.Context(), "tailnetgateways.tsunaro.io", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	patch := text(object{"spec": object{"versions": bare(is.Object["spec"].(object)["versions"])}})
	if _, err := crds.Patch(t.Context(), is.GetName(), types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		g      *gateway
		reason string
		says   string
		mend   func(*gateway)
	}{
		{format, api.ReasonFormatUnknown, "render format 2", moves(int64(1), "renderFormat")},
		{address, api.ReasonSpecRefused, "TailnetGateway/GW is refused: spec.loadBalancerIP must lie inside spec.tailnetLBCIDR [lb-in-cidr].", moves("10.99.0.4", "loadBalancerIP")},
	} {
		c.g.Await(c.g.name+" is taken", func(ctx context.Context) error { return put(ctx, w, c.g.manifest) })
		t.Log(c.g.says(api.ConditionReady, c.reason, c.says).condition(api.ConditionReady).Message)
		c.mend(c.g)
		c.g.standIn()
		if obeyed := c.g.goOn(); len(obeyed) > 0 {
			t.Errorf("%s: %q", c.g.name, obeyed)
		}
	}
	w.Must(apiserver.Admin, "", "apply", "--server-side", "--force-conflicts", "-k", w.Source("renderer/crd"))
}

// bare is a schema without the rules that its fields have.
func bare(schema any) any {
	switch s := schema.(type) {
	case object:
		out := object{}
		for key, value := range s {
			if key != "x-kubernetes-validations" {
				out[key] = bare(value)
			}
		}
		return out
	case []any:
		out := make([]any, len(s))
		for i := range s {
			out[i] = bare(s[i])
		}
		return out
	}
	return schema
}
