package view

import (
	"cmp"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/livedns"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/objects"
)

// Reading is what was read about a gateway. Of a Secret there is the metadata alone.
type Reading struct {
	Now       time.Time
	Gateway   *v1alpha1.TailnetGateway
	Namespace string // the Tailnet's operator namespace

	Tailnet  observe.Fact[*v1alpha1.Tailnet]
	Hosts    observe.Fact[*corev1.ConfigMap]
	Egresses observe.Fact[[]v1alpha1.TailnetEgress]

	Registry observe.Fact[*corev1.ConfigMap]
	State    observe.Fact[metav1.ObjectMeta]
	Fresh    observe.Fact[*corev1.ConfigMap]

	Nine [objects.Count]observe.Fact[verify.Live] // in the order of observe.Names
	Pod  observe.Fact[*corev1.Pod]

	Minter observe.Fact[*appsv1.Deployment]
	Lease  observe.Fact[*coordinationv1.Lease] // of whichever minter works
}

// NamespaceOf is the operator namespace of a Tailnet.
func NamespaceOf(t *v1alpha1.Tailnet) string {
	return cmp.Or(string(t.Spec.OperatorNamespace), api.DefaultOperatorNamespace)
}

// HostsName is the name of a Tailnet's hosts source.
func HostsName(t *v1alpha1.Tailnet) string {
	return cmp.Or(string(t.Spec.DNS.HostsConfigMapRef.Name), api.DefaultHostsName)
}

// Render is what the custom resources come to. It is unknown where one of them is.
func (r Reading) Render() observe.Fact[observe.Render] {
	t, ok := r.Tailnet.Get()
	egresses, listed := r.Egresses.Get()
	switch {
	case r.Tailnet.Absent():
		return observe.Absent[observe.Render]()
	case !ok:
		return observe.Unknown[observe.Render](r.Tailnet.Class())
	case !listed:
		return observe.Unknown[observe.Render](r.Egresses.Class())
	}
	hosts, _ := r.Hosts.Get()
	return observe.Known(observe.RenderOf(r.Gateway, t, hosts, egresses))
}

// Bind prepares the comparison of the nine with their rendering; ok is false where
// it is not known which state Secret they belong to. Without the right to read
// Secrets the receipt tells, or the registry.
func (r Reading) Bind() (b observe.Binding, ok bool) {
	state := observe.Map(r.State, func(m metav1.ObjectMeta) observe.State {
		return observe.State{Object: observe.Object{UID: string(m.UID), Created: m.CreationTimestamp.Time}}
	})
	if e, listed := r.entry(); state.Unknown() && listed {
		state = observe.Known(observe.State{Object: observe.Object{UID: e.StateUID}})
	}
	b = observe.Bind(r.Gateway, r.Render(), state, r.completion())
	return b, !b.Unbound || state.Absent() && r.Fresh.Absent()
}

// StateUID is the UID of the state Secret that the gateway is bound to, or "".
func (r Reading) StateUID() string {
	if c, ok := r.completion().Get(); ok && c.Err == nil {
		return c.Receipt.State.UID
	}
	if m, ok := r.State.Get(); ok {
		return string(m.UID)
	}
	e, _ := r.entry()
	return e.StateUID
}

func (r Reading) completion() observe.Fact[observe.Completion] {
	return observe.Map(r.Fresh, observe.CompletionOf)
}

// entry is the gateway's entry of the registry, if it has one.
func (r Reading) entry() (registry.Entry, bool) {
	c, ok := r.Registry.Get()
	if !ok {
		return registry.Entry{}, false
	}
	e, listed, err := registry.Read(c.Data, r.Gateway.Name)
	return e, listed && err == nil && e.GatewayUID == string(r.Gateway.UID)
}

// Zone is GW-coredns.
func (r Reading) Zone() observe.Fact[*corev1.ConfigMap] {
	for i, name := range observe.Names(r.Gateway, r.Namespace) {
		if name.Kind != "ConfigMap" {
			continue
		}
		live, ok := r.Nine[i].Get()
		if c, typed := live.(*corev1.ConfigMap); ok && typed {
			return observe.Known(c)
		}
		return observe.Map(r.Nine[i], func(verify.Live) *corev1.ConfigMap { return nil })
	}
	return observe.Absent[*corev1.ConfigMap]()
}

// Served is what the minter makes of the live zone: what it would say, and write, if
// it looked now.
func (r Reading) Served() livedns.Verdict {
	return livedns.Decide(livedns.World{
		World: observe.World{
			Namespace: r.Namespace, Gateway: observe.Known(r.Gateway), Tailnet: r.Tailnet,
			Hosts: observe.Map(r.Hosts, observe.ConfigMapOf), Render: r.Render(), Fresh: r.completion(),
		},
		Live: r.Zone(),
	})
}
