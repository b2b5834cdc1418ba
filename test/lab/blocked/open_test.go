//go:build lab && linux

package blocked

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// another is a UID of nobody's.
const another = "7a0d9a2e-1b2c-4d3e-8f90-112233445566"

// Until the key is made whatever is wrong with the nine, with the records or with
// the Pod stops the minter, and what the message says lets it go on.
//
// REQ: LC-09, LC-10, LC-11, LC-16, LC-18, LC-19, UP-11
func onTheWay(t *testing.T) {
	const uid, state = "metadata.labels[tsunaro.io/gateway-uid]", "metadata.labels[tsunaro.io/state-uid]"
	try(t, []fault{
		// The nine.
		{
			name: "wrong-uid", from: bound, refused: "tsunaro-create", commands: 1,
			cause:  altered("Service", "GW", another, "metadata", "labels", api.LabelGatewayUID),
			reason: api.ReasonFreshBlocked, object: "Service/NS/GW ", path: uid,
		},
		{
			name: "wrong-state", from: bound, refused: "tsunaro-create", commands: 1,
			cause:  altered("ConfigMap", "GW-coredns", another, "metadata", "labels", api.LabelStateUID),
			reason: api.ReasonFreshBlocked, object: "ConfigMap/NS/GW-coredns ", path: state,
		},
		{
			name: "no-labels", from: bound, commands: 1,
			cause:  altered("Role", "GW", object{}, "metadata", "labels"),
			reason: api.ReasonFreshBlocked, object: "Role/NS/GW ", path: uid,
		},
		{
			name: "altered-template", from: bound, commands: 1,
			cause:  altered("StatefulSet", "GW", int64(5), "spec", "template", "spec", "terminationGracePeriodSeconds"),
			reason: api.ReasonFreshBlocked, object: "StatefulSet/NS/GW ", path: "spec.template.spec.terminationGracePeriodSeconds",
		},
		{
			name: "altered-and-restored", from: bound,
			cause:  altered("StatefulSet", "GW", int64(5), "spec", "template", "spec", "terminationGracePeriodSeconds"),
			reason: api.ReasonFreshBlocked, object: "StatefulSet/NS/GW ", path: "spec.template.spec.terminationGracePeriodSeconds",
			mend: (*gateway).engine,
		},
		{
			name: "altered-role", from: bound, commands: 1,
			cause:  altered("Role", "GW", []any{}, "rules"),
			reason: api.ReasonFreshBlocked, object: "Role/NS/GW ", path: "rules",
		},
		{
			name: "altered-zone", from: bound, commands: 1,
			cause:  altered("ConfigMap", "GW-coredns", "; nothing", "data", api.DataZone),
			reason: api.ReasonFreshBlocked, object: "ConfigMap/NS/GW-coredns ", path: "metadata.annotations[tsunaro.io/dns-serial]",
		},

		// Records.
		{
			name: "foreign-auth", from: bound, refused: "tsunaro-record-names", commands: 1, cause: recorded("Secret", "GW-auth", nil),
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-auth ",
		},
		{
			name: "foreign-auth-receipt", from: bound, refused: "tsunaro-record-names", commands: 1, cause: recorded("ConfigMap", "GW-auth-receipt", nil),
			reason: api.ReasonFreshBlocked, object: "ConfigMap/NS/GW-auth-receipt ",
		},
		{
			name: "foreign-fresh", from: bound, refused: "tsunaro-record-names", commands: 1, cause: recorded("ConfigMap", "GW-fresh", nil),
			reason: api.ReasonFreshBlocked, object: "ConfigMap/NS/GW-fresh ", path: uid,
		},
		{
			name: "forged-auth", from: bound, refused: "tsunaro-record", commands: 1, cause: recorded("Secret", "GW-auth", (*gateway).uid),
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-auth ",
		},
		{
			name: "forged-auth-receipt", from: bound, refused: "tsunaro-record", commands: 1, cause: recorded("ConfigMap", "GW-auth-receipt", (*gateway).uid),
			reason: api.ReasonFreshBlocked, object: "ConfigMap/NS/GW-auth-receipt ",
		},
		{
			name: "forged-fresh", from: bound, refused: "tsunaro-record", commands: 1, cause: recorded("ConfigMap", "GW-fresh", (*gateway).uid),
			reason: api.ReasonFreshBlocked, object: "ConfigMap/NS/GW-fresh ", path: "data[receipt.json]",
		},
		{
			name: "forged-state", from: suspended, commands: 1, cause: recorded("Secret", "GW-state", (*gateway).uid),
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-state ", path: "data",
		},
		{
			name: "filled-state", from: bound, commands: 1, cause: patched("secret", "GW-state", `{"stringData":{"_machinekey":"privkey:00"}}`),
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-state ", path: "data",
		},
		{ // the nine go with the state that they are bound to
			name: "filled-state-of-nine", from: placed, commands: 2, cause: patched("secret", "GW-state", `{"stringData":{"_machinekey":"privkey:00"}}`),
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-state ", path: "data",
		},
		{
			name: "immutable-state", from: bound, commands: 1, cause: patched("secret", "GW-state", `{"immutable":true}`),
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-state ", path: "immutable",
		},

		// Pods, and Headscale.
		{
			name: "orphan-pod", from: bound, commands: 1,
			cause:  both(occupy(occupant{kind: "Pod", name: "GW-0"}), engine),
			reason: api.ReasonFreshBlocked, object: "Pod/NS/GW-0 ",
		},
		{
			name: "second-pod", from: placed, commands: 1, cause: labelledPod,
			reason: api.ReasonFreshBlocked, object: "Pod/NS/GW-of-old ",
		},
		{
			name: "started-pod", from: placed, commands: 1, cause: told(started),
			reason: api.ReasonFreshBlocked, object: "Pod/NS/GW-0 ", path: "status.containerStatuses[tailscale]",
		},
		{
			name: "failed-preflight", from: placed, cause: told(failing), mend: tells(waiting),
			reason: api.ReasonRuntimeNotReady, object: "GW-0 ", path: "`kubectl logs GW-0 --container kernel-preflight --namespace NS`",
		},
		{
			name: "late-node", from: placed, commands: 1, cause: both(registerNode, told(waiting)),
			reason: api.ReasonFreshBlocked, object: "HeadscaleNode/", path: "headscale nodes delete",
		},
	})
}

// both does one thing after the other.
func both(a, b func(*gateway) error) func(*gateway) error {
	return func(g *gateway) error {
		g.Helper()
		if err := a(g); err != nil {
			return err
		}
		return b(g)
	}
}

func engine(g *gateway) error { g.Helper(); g.engine(); return nil }

// altered applies the nine with another value in one of them, or without it where
// the value is nil.
func altered(kind, name string, value any, path ...string) func(*gateway) error {
	return func(g *gateway) error {
		g.Helper()
		nine := g.nine()
		set(find(nine, kind, g.fill(name)), value, path...)
		return put(g.Context(), g.World, nine...)
	}
}

// recorded creates a record's object as a person; with whose the UID that it is
// labelled with.
func recorded(kind, name string, whose func(*gateway) string) func(*gateway) error {
	return func(g *gateway) error {
		g.Helper()
		m := object{"name": g.fill(name), "namespace": g.namespace}
		if whose != nil {
			m["labels"] = object{api.LabelGatewayUID: whose(g)}
		}
		o := object{"apiVersion": "v1", "kind": kind, "metadata": m}
		if kind == "Secret" {
			o["stringData"] = object{"authkey": "made up"}
		} else {
			o["data"] = object{api.DataReceipt: "{}"}
		}
		if err := created(g.World, o); err != nil {
			return err
		}
		if kind == "Secret" && g.exists() { // which no one may watch
			g.wake()
		}
		return nil
	}
}

// patched patches an object of the gateway's with kubectl.
func patched(kind, name, patch string) func(*gateway) error {
	return func(g *gateway) error {
		g.Helper()
		if err := g.kubectl("patch", kind, name, "--namespace=NS", "--type=merge", "--patch="+g.fill(patch)); err != nil {
			return err
		}
		if g.exists() {
			g.wake()
		}
		return nil
	}
}

// exists reports whether the CR is there.
func (g *gateway) exists() bool {
	_, err := g.Dynamic(apiserver.Admin).Resource(custom("tailnetgateways")).Get(g.Context(), g.name, metav1.GetOptions{})
	return err == nil
}

// told reports about the Pod, as the kubelet that it does not have.
func told(s corev1.PodStatus) func(*gateway) error {
	return func(g *gateway) error {
		g.Helper()
		g.awaitPod()
		return g.tell(g.name+"-0", s)
	}
}

func tells(s corev1.PodStatus) func(*gateway) {
	return func(g *gateway) {
		g.Helper()
		if err := told(s)(g); err != nil {
			g.Fatal(err)
		}
	}
}

// An object of the nine that is older than the gateway's state was made for another,
// whatever it says by now. Only a gateway that takes another name in the meantime can
// come by one, and somebody who writes the UIDs into it.
//
// REQ: LC-16, UP-11
func olderObject(t *testing.T) {
	w := world(t)
	for _, place := range []struct{ namespace, tailnet, refused, path string }{
		{guarded, "home", "'tsunaro-identity'", "metadata.labels[tsunaro.io/gateway-uid]"},
		{free, "free", "", "metadata.creationTimestamp"},
	} {
		t.Run(place.namespace, func(t *testing.T) {
			t.Parallel()
			g := newGateway(t, w, "older-"+place.tailnet, place.tailnet, place.namespace)
			made := g.oldService()
			g.Await("the next second has begun", func(context.Context) error {
				if time.Now().Before(made.Add(time.Second)) {
					return fmt.Errorf("it was made at %v", made)
				}
				return nil
			})
			g.reach(bound)
			g.change(g.name+"-old", "dns", "serviceName")
			err := put(g.Context(), g.World, g.nine()...)
			if refused := err != nil; refused != (place.refused != "") || refused && !strings.Contains(err.Error(), place.refused) {
				g.Errorf("the Service that was there is taken over: %v", err)
			}
			g.says(api.ConditionReady, api.ReasonFreshBlocked, "Service/NS/GW-old ", place.path)
			g.standIn()
			if obeyed := g.goOn(); len(obeyed) != 1 {
				g.Errorf("it takes %q", obeyed)
			}
		})
	}
}

// oldService makes a Service of nobody's under the address that the gateway will
// have, and returns the time of that.
func (g *gateway) oldService() time.Time {
	g.Helper()
	s, err := g.Client(apiserver.Person).CoreV1().Services(g.namespace).Create(g.Context(), &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: g.name + "-old"},
		Spec: corev1.ServiceSpec{
			ClusterIP: g.manifest["spec"].(object)["dns"].(object)["clusterIP"].(string),
			Ports:     []corev1.ServicePort{{Name: "dns", Port: 53, Protocol: corev1.ProtocolUDP}},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		g.Fatal(err)
	}
	return s.CreationTimestamp.Time
}
