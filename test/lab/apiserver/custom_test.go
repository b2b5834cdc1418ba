//go:build lab

package apiserver

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// tailnets and gateways are clients for the custom resources.
func (w *world) tailnets(id apiserver.Identity) dynamic.ResourceInterface {
	return w.custom(id, "tailnets")
}

func (w *world) gateways(id apiserver.Identity) dynamic.ResourceInterface {
	return w.custom(id, "tailnetgateways")
}

func (w *world) custom(id apiserver.Identity, resource string) dynamic.ResourceInterface {
	w.Helper()
	return w.dynamic(w, id).Resource(schema.GroupVersionResource{Group: api.Group, Version: api.Version, Resource: resource})
}

func tailnet(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": api.APIVersion, "kind": api.KindTailnet, "metadata": map[string]any{"name": name},
		"spec": map[string]any{"controlURL": "https://headscale.example"},
	}}
}

func gateway(name, tailnet string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": api.APIVersion, "kind": api.KindTailnetGateway,
		"metadata": map[string]any{"name": name, "labels": map[string]any{"team": "a"}, "finalizers": []any{"x.example/y"}},
		"spec": map[string]any{
			"tailnetRef": map[string]any{"name": tailnet}, "tags": []any{"tag:gateway"},
			"routes":        map[string]any{"lan": []any{"192.168.10.0/24"}},
			"tailnetLBCIDR": "10.99.0.0/24", "loadBalancerIP": "10.99.0.53",
			"dns": map[string]any{"zone": "lab.example", "serviceName": "lab-dns", "clusterIP": "10.96.0.53"},
		},
	}}
}

// The minter, whose rights let it patch a gateway, changes its finalizer and its
// status and nothing else of it; everybody else does what RBAC says, and nobody is
// kept from a status.
//
// REQ: OP-02
func TestCustomResourcesAreNotTheMinters(t *testing.T) {
	each(t, apiserver.Versions, func(t *testing.T, l *lab) {
		w := l.world(t)
		for _, c := range []custom{
			{t, w.tailnets, tailnet("custom"), `{"spec": {"apiURL": "https://other.example"}}`},
			{t, w.gateways, gateway("custom", "custom"), `{"spec": {"suspend": false}}`},
		} {
			minters := []apiserver.Identity{w.minter, apiserver.Minter("elsewhere")}
			for _, id := range minters {
				_, err := c.as(id).Create(t.Context(), c.object, metav1.CreateOptions{})
				c.refused("created by "+id.User, err)
			}
			_, err := c.as(apiserver.Person).Create(t.Context(), c.object, metav1.CreateOptions{})
			c.passes("created", err)
			for _, id := range minters {
				c.minter(id)
			}
			for _, id := range []apiserver.Identity{apiserver.Person, apiserver.FluxEngine, apiserver.ServiceAccount("elsewhere", "other-"+api.MinterName)} {
				for _, change := range c.changes()[:4] { // with an owner that is not there it would be collected
					c.passes(change+" by "+id.User, c.patch(id, change))
				}
			}
			c.passes("deleted", c.as(apiserver.Person).Delete(t.Context(), "custom", metav1.DeleteOptions{}))
			c.passes("without finalizers", c.patch(apiserver.Person, `{"metadata": {"finalizers": null}}`))
		}
	})
}

// custom is a custom resource, called custom.
type custom struct {
	*testing.T
	as     func(apiserver.Identity) dynamic.ResourceInterface
	object *unstructured.Unstructured
	spec   string // a patch that changes it
}

// changes are patches of what is not the minter's.
func (c custom) changes() []string {
	return []string{
		c.spec, `{"metadata": {"labels": {"team": "b"}}}`, `{"metadata": {"annotations": {"a": "b"}}}`,
		`{"metadata": {"finalizers": ["other.example/z"]}}`,
		`{"metadata": {"ownerReferences": [{"apiVersion": "v1", "kind": "Namespace", "name": "x", "uid": "y"}]}}`,
	}
}

// minter lets a minter do what it may and try what it may not.
func (c custom) minter(id apiserver.Identity) {
	c.Helper()
	for _, change := range c.changes() {
		c.refused(change+" by "+id.User, c.patch(id, change))
	}
	live, err := c.as(id).Get(c.Context(), "custom", metav1.GetOptions{})
	c.passes("read", err)
	theirs := live.GetFinalizers()
	live.SetFinalizers(append([]string{api.FinalizerTeardown}, theirs...))
	live, err = c.as(id).Update(c.Context(), live, metav1.UpdateOptions{})
	c.passes("with our finalizer by "+id.User, err)
	c.refused("with one more by "+id.User, c.patch(id, mustJSON(c, finalizers(append(theirs, "other.example/z")))))
	c.passes("with a status by "+id.User, c.patch(id, `{"status": {"observedGeneration": 1}}`, "status"))
	if got := live.GetGeneration(); got != 1 {
		c.Errorf("%s: generation %d, want 1", c.object.GetKind(), got)
	}
	c.passes("without our finalizer by "+id.User, c.patch(id, mustJSON(c, finalizers(theirs))))
}

func finalizers(all []string) map[string]any {
	return map[string]any{"metadata": map[string]any{"finalizers": all}}
}

func (c custom) patch(id apiserver.Identity, patch string, sub ...string) error {
	c.Helper()
	_, err := c.as(id).Patch(c.Context(), "custom", types.MergePatchType, []byte(patch), metav1.PatchOptions{}, sub...)
	return err
}

func (c custom) refused(what string, err error) {
	c.Helper()
	if err == nil || !strings.Contains(err.Error(), c.object.GetKind()+" custom says what is wanted, which the minter never changes") {
		c.Errorf("%s %s: want a refusal, got %v", c.object.GetKind(), what, err)
	}
}

func (c custom) passes(what string, err error) {
	c.Helper()
	if err != nil {
		c.Errorf("%s %s: %v", c.object.GetKind(), what, err)
	}
}
