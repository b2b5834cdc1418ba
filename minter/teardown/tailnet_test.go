package teardown_test

import (
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// A Tailnet stays as long as a gateway's teardown may need its key and its URL.
//
// REQ: TD-07
func TestHold(t *testing.T) {
	on := true
	user := func(name string, edits ...func(*v1alpha1.TailnetGateway)) v1alpha1.TailnetGateway {
		g := gateway()
		g.Name, g.DeletionTimestamp, g.Finalizers = name, nil, nil
		for _, edit := range edits {
			edit(g)
		}
		return *g
	}
	deleted := func(g *v1alpha1.TailnetGateway) { g.DeletionTimestamp = &metav1.Time{Time: start} }
	ours := func(g *v1alpha1.TailnetGateway) { g.Finalizers = []string{"other", "tsunaro.io/gateway-teardown"} }
	retain := func(g *v1alpha1.TailnetGateway) { g.Spec.DeletionPolicy = v1alpha1.DeletionRetain }
	unsaid := func(g *v1alpha1.TailnetGateway) { g.Spec.DeletionPolicy = "" }
	elsewhere := func(g *v1alpha1.TailnetGateway) { g.Spec.TailnetRef.Name = "other" }
	suspended := func(g *v1alpha1.TailnetGateway) { g.Spec.Suspend = &on }
	unknown := observe.Unknown[[]v1alpha1.TailnetGateway](observe.Denied)
	these := func(gs ...v1alpha1.TailnetGateway) observe.Fact[[]v1alpha1.TailnetGateway] { return observe.Known(gs) }
	const add, remove = verdict.AddFinalizer, verdict.RemoveFinalizer
	for _, row := range []struct {
		why        string
		gateways   observe.Fact[[]v1alpha1.TailnetGateway]
		free, held verdict.Action // what is due without and with our finalizer
		inUse      string         // when it is deleted
	}{
		{"none", these(), "", remove, ""},
		{"unknown", unknown, "", "", ""},
		{"one with consent", these(user("a")), add, "", "TailnetGateway/a"},
		{"a suspended one, which may be resumed", these(user("a", suspended)), add, "", "TailnetGateway/a"},
		{"one that is retained", these(user("a", retain), user("b", unsaid)), "", remove, ""},
		{"one of another Tailnet", these(user("a", elsewhere)), "", remove, ""},
		{"one in its teardown", these(user("a", ours, deleted)), add, "", "TailnetGateway/a"},
		{"one that goes without", these(user("a", deleted)), "", remove, ""},
		{"one whose consent was taken back", these(user("a", ours, deleted, retain)), "", remove, ""},
		{"several", these(user("c"), user("a", retain), user("d"), user("b", ours, deleted)), add, "", "TailnetGateway/b"},
	} {
		for _, held := range []bool{false, true} {
			tn := tailnet()
			tn.Finalizers = []string{"other"}
			want := row.free
			if held {
				tn.Finalizers, want = append(tn.Finalizers, "tsunaro.io/gateway-teardown"), row.held
			}
			if verdict.Held(tn) != held {
				t.Errorf("held is %v", !held)
			}
			h := teardown.Hold(tn, namespace, row.gateways)
			if h.Step.Do != want || h.InUse.Name != "" || h.Unread != row.gateways.Unknown() ||
				want != "" && (h.Step.UID != uid(2) || h.Step.Revision != "11" || h.Step.Object.String() != "Tailnet/home") {
				t.Errorf("%s, held %v: %+v, want %q", row.why, held, h, want)
			}
			tn.DeletionTimestamp = &metav1.Time{Time: start}
			h = teardown.Hold(tn, namespace, row.gateways)
			if want == add { // too late
				want = ""
			}
			if said := h.InUse.String(); h.Step.Do != want || row.inUse != "" && said != row.inUse || row.inUse == "" && h.InUse.Name != "" {
				t.Errorf("%s, held %v and deleted: %+v, want %q, %s", row.why, held, h, want, row.inUse)
			}
			if h := teardown.Hold(tn, "other", row.gateways); h.Step.Do != "" || h.Unread || h.InUse.Name != "" {
				t.Errorf("%s: another minter's: %+v", row.why, h)
			}
		}
	}
}

// TestAnyOrder lets an engine delete a Tailnet and its two gateways in every order,
// with a part of the teardown anywhere between: key and URL outlive every gateway
// that has consented.
//
// REQ: TD-07 (B15)
func TestAnyOrder(t *testing.T) {
	orders := permutations([]int{0, 1, 2, 3})
	if len(orders) != 24 {
		t.Fatalf("%d orders", len(orders))
	}
	for _, order := range orders {
		c := completed(t)
		c.gateway.DeletionTimestamp = nil
		c.tailnet.Finalizers = []string{"tsunaro.io/gateway-teardown"}
		second := gateway()
		second.Name, second.DeletionTimestamp, second.Finalizers = "second", nil, nil
		gateways := []*v1alpha1.TailnetGateway{c.gateway, second}
		follow := func() {
			var all []v1alpha1.TailnetGateway
			for _, g := range gateways {
				all = append(all, *g)
			}
			if teardown.Hold(c.tailnet, namespace, observe.Known(all)).Step.Do == verdict.RemoveFinalizer {
				c.tailnet.Finalizers = nil
			}
			if c.tailnet.DeletionTimestamp != nil && !verdict.Held(c.tailnet) && !c.finished() {
				t.Fatalf("order %v: the Tailnet is gone before its gateway", order)
			}
		}
		events := []func(){
			func() { c.gateway.DeletionTimestamp = &metav1.Time{Time: start} },
			func() { c.tailnet.DeletionTimestamp = &metav1.Time{Time: start} },
			func() {
				gateways = slices.DeleteFunc(gateways, func(g *v1alpha1.TailnetGateway) bool { return g == second })
			},
			func() {
				if c.gateway.DeletionTimestamp != nil {
					c.until(5)
				}
			},
		}
		for _, i := range order {
			events[i]()
			follow()
		}
		c.run(nil)
		gateways = slices.DeleteFunc(gateways, func(g *v1alpha1.TailnetGateway) bool { return g == c.gateway })
		follow()
		if left := c.clean(); len(left) > 0 || verdict.Held(c.tailnet) {
			t.Errorf("order %v: left %v, held %v", order, left, verdict.Held(c.tailnet))
		}
	}
}

func permutations(of []int) [][]int {
	if len(of) == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for i, first := range of {
		for _, rest := range permutations(slices.Delete(slices.Clone(of), i, i+1)) {
			all = append(all, append([]int{first}, rest...))
		}
	}
	return all
}
