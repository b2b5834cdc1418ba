//go:build lab && linux

package tailnet

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// user is a gateway that refers to the world's Tailnet, and is open: of its own it has
// an entry in the registry and a state Secret.
type user struct {
	*world
	name string
}

// use applies a gateway with a deletion policy and waits until it is open.
func (w *world) use(policy v1alpha1.DeletionPolicy) user {
	w.Helper()
	active := false
	u := user{w, w.name + "-gw"}
	w.make(&v1alpha1.TailnetGateway{
		ObjectMeta: metav1.ObjectMeta{Name: u.name},
		Spec: v1alpha1.TailnetGatewaySpec{
			Suspend: &active, DeletionPolicy: policy, TailnetRef: v1alpha1.GatewayTailnetRef{Name: v1alpha1.ObjectName(w.name)},
			Tags: []v1alpha1.Tag{"tag:gateway"}, Routes: v1alpha1.Routes{LAN: []v1alpha1.Prefix{"192.168.10.0/24"}},
			TailnetLBCIDR: "10.99.0.0/24", LoadBalancerIP: "10.99.0.53",
			DNS: v1alpha1.DNS{Zone: v1alpha1.Zone(w.name + ".example"), ServiceName: v1alpha1.ServiceName(w.name + "-dns"), ClusterIP: "10.96.0.53"},
		},
	})
	w.until("the gateway is open", func() bool {
		c := meta.FindStatusCondition(u.live().Status.Conditions, api.ConditionBound)
		return c != nil && c.Reason == api.ReasonBindingOpen
	}, func() string { return fmt.Sprintf("%+v", u.live().Status) })
	if policy == v1alpha1.DeletionDelete {
		w.until("both are held", func() bool { return finalized(u.live()) && finalized(w.tailnet()) })
	}
	return u
}

func finalized(o client.Object) bool {
	return slices.Contains(o.GetFinalizers(), api.FinalizerTeardown)
}

func (u user) live() *v1alpha1.TailnetGateway {
	u.Helper()
	return get[v1alpha1.TailnetGateway](u.world, u.name)
}

func (u user) delete(o client.Object) {
	u.Helper()
	if err := u.Delete(u.Context(), o); err != nil {
		u.Fatal(err)
	}
}

// retain takes the consent back.
func (u user) retain() {
	u.Helper()
	kubectl(u.T, "", "patch", "tailnetgateway", u.name, "--type=merge", `--patch={"spec":{"deletionPolicy":"Retain"}}`)
}

// pod is one with the gateway's UID, which holds up its teardown.
func (u user) pod() *corev1.Pod {
	u.Helper()
	u.make(&corev1.ServiceAccount{ObjectMeta: in(u.name + "-pod")})
	p := &corev1.Pod{ObjectMeta: in(u.name + "-pod"), Spec: corev1.PodSpec{
		ServiceAccountName: u.name + "-pod", Containers: []corev1.Container{{Name: "c", Image: "x"}},
	}}
	p.Labels = map[string]string{api.LabelGatewayUID: string(u.live().UID)}
	u.make(p)
	return p
}

// gone waits until an object is.
func gone[T any, P interface {
	*T
	client.Object
}](w *world, name string) {
	w.Helper()
	w.until(fmt.Sprintf("%T %s is gone", *new(P), name), func() bool {
		_, err := find[T, P](w, name)
		return apierrors.IsNotFound(err)
	})
}

// retired waits until the Tailnet is gone, and with it its working key.
func (w *world) retired(key []byte) {
	w.Helper()
	gone[v1alpha1.Tailnet](w, w.name)
	if w.hasWorking() {
		w.Error("the working key's Secret is left")
	}
	if k, ok := w.listed()[prefix(key)]; !ok || k.Expiration.After(w.there()) {
		w.Errorf("the working key lives: %+v", k)
	}
	w.wantUntouched()
}

// waits sees that the Tailnet stays, says for whom, and goes on working.
func (u user) waits(key []byte) {
	u.Helper()
	t := u.await(api.ReasonInUse, api.ReasonKeyCurrent)
	u.wantMessage(t, "kept until TailnetGateway/"+u.name+" is gone")
	if k := u.listed()[prefix(key)]; !k.Expiration.After(u.there()) {
		u.Error("the working key was ended before the gateway was gone")
	}
}

// In whatever order an engine deletes a Tailnet and its gateway, the Tailnet stays
// until the teardown is done, and then goes with its key.
//
// REQ: TD-07
func TestDeletedInAnyOrder(t *testing.T) {
	for _, first := range []string{"Tailnet", "gateway"} {
		t.Run(first+" first", func(t *testing.T) {
			w, _ := withReal(t)
			w.supply()
			m := w.run(gateways)
			w.apply()
			key := m.wantWorking().Data[api.WorkingKeySecretKey]
			u := w.use(v1alpha1.DeletionDelete)
			pod := u.pod()
			if first == "Tailnet" {
				u.delete(w.tailnet())
				u.waits(key)
				u.delete(u.live())
			} else {
				u.delete(u.live())
				u.delete(w.tailnet())
			}
			w.until("the teardown waits for the Pod", func() bool {
				c := meta.FindStatusCondition(u.live().Status.Conditions, api.ConditionReady)
				return c != nil && c.Reason == api.ReasonDeleting && c.Message == "Teardown, at the step AwaitPods: waiting for Pod/"+namespace+"/"+pod.Name+"."
			})
			u.waits(key)
			u.delete(pod)
			gone[v1alpha1.TailnetGateway](w, u.name)
			w.retired(key)
			gone[corev1.Secret](w, api.StateSecretName(u.name))
		})
	}
}

// Whoever takes the consent back lets the Tailnet go: before the gateway is deleted,
// and in the middle of its teardown. The gateway's own things stay.
//
// REQ: TD-07, TD-01
func TestRetainReleases(t *testing.T) {
	for _, deleted := range []bool{false, true} {
		t.Run(fmt.Sprintf("gateway deleted: %t", deleted), func(t *testing.T) {
			w, _ := withReal(t)
			w.supply()
			m := w.run(gateways)
			w.apply()
			key := m.wantWorking().Data[api.WorkingKeySecretKey]
			u := w.use(v1alpha1.DeletionDelete)
			u.pod()
			if deleted {
				u.delete(u.live())
			}
			u.delete(w.tailnet())
			u.waits(key)
			u.retain()
			w.retired(key)
			if deleted {
				gone[v1alpha1.TailnetGateway](w, u.name)
			} else {
				w.until("the gateway misses its Tailnet", func() bool {
					g := u.live()
					c := meta.FindStatusCondition(g.Status.Conditions, api.ConditionReady)
					return c != nil && c.Reason == api.ReasonTailnetMissing && !finalized(g)
				})
			}
			get[corev1.Secret](w, api.StateSecretName(u.name))
		})
	}
}

// A Tailnet that no teardown needs is not held. Its key stays, as docs/minter.md
// says, and is used again by a Tailnet of that name.
//
// REQ: TD-07
func TestNotHeld(t *testing.T) {
	w, _ := withReal(t)
	w.supply()
	m := w.run(gateways)
	w.apply()
	first := m.wantWorking()
	u := w.use(v1alpha1.DeletionRetain)
	if finalized(w.tailnet()) || finalized(u.live()) {
		t.Error("held without a reason")
	}
	u.delete(w.tailnet())
	gone[v1alpha1.Tailnet](w, w.name)
	w.apply()
	if second := m.wantWorking(); second.UID != first.UID || second.ResourceVersion != first.ResourceVersion {
		t.Error("the working key was made anew")
	}
}

// A Headscale that is away for good holds a deletion up for a minute or two; the key's
// Secret goes all the same.
//
// REQ: TD-07
func TestGoesWithoutHeadscale(t *testing.T) {
	w, s := withReal(t)
	w.supply()
	m := w.run(gateways)
	w.apply()
	m.wantWorking()
	u := w.use(v1alpha1.DeletionDelete)
	s.Stop()
	u.delete(w.tailnet())
	w.until("the Tailnet waits", func() bool { return has(w.tailnet(), api.ConditionReady, api.ReasonInUse) })
	u.retain()
	w.until("Headscale is asked", func() bool { return has(w.tailnet(), api.ConditionReady, api.ReasonHeadscaleUnreachable) })
	w.until("the Tailnet is gone", func() bool {
		w.ahead.Add(int64(time.Minute))
		_, err := find[v1alpha1.Tailnet](w, w.name)
		return apierrors.IsNotFound(err)
	})
	if w.hasWorking() {
		t.Error("the working key's Secret is left")
	}
}
