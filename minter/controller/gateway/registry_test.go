package gateway_test

import (
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
)

func entryOf(g, s int) registry.Entry {
	return registry.Entry{GatewayUID: string(uid(g)), StateUID: string(uid(s)), Phase: registry.Complete}
}

// unlisted is a gateway in service whose registry is lost, and is made anew by
// somebody else just before the minter does.
func unlisted(t *testing.T, data map[string]string) *bed {
	t.Helper()
	objects := slices.DeleteFunc(complete(t, receipt.CurrentRule), func(o client.Object) bool { return o.GetName() == api.BindingsName })
	b := newBed(t, objects...)
	b.fault = func(w write) fault {
		if w.verb == "create" && w.o.GetName() == api.BindingsName {
			b.fault = nil
			theirs := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: api.DefaultOperatorNamespace, Name: api.BindingsName, Labels: map[string]string{"x": "y"}}, Data: data}
			if err := b.Create(t.Context(), theirs); err != nil {
				t.Error(err)
			}
		}
		return none
	}
	return b
}

// The registry that another gateway has made meanwhile is one more to write to: it
// is no failure, and nothing is said about it.
//
// REQ: LC-21
func TestRegistryMadeByAnother(t *testing.T) {
	b := unlisted(t, registry.With(nil, "other", entryOf(70, 71)))
	if err := b.reconcile("lab-gw"); err != nil {
		t.Fatal(err)
	}
	want := registry.With(registry.With(nil, "other", entryOf(70, 71)), "lab-gw", entryOf(1, 3))
	if got := b.configMap(api.BindingsName); !maps.Equal(got.Data, want) || got.Labels["x"] != "y" {
		t.Errorf("%v %v", got.Labels, got.Data)
	}
	if c := b.ready(); c.Reason != api.ReasonAPIKeyMissing { // as without it
		t.Errorf("%+v", c)
	}
}

// What another process has written about this very gateway is read again before
// anything is decided.
//
// REQ: LC-21, LC-09
func TestRegistryWithAnEntryMeanwhile(t *testing.T) {
	theirs := registry.With(nil, "lab-gw", entryOf(80, 81))
	b := unlisted(t, theirs)
	if err := b.reconcile("lab-gw"); err == nil || err.Error() != "the step RewriteEntry did not succeed" {
		t.Fatalf("%v", err)
	}
	if got := b.configMap(api.BindingsName); !maps.Equal(got.Data, theirs) {
		t.Errorf("%v", got.Data)
	}
}
