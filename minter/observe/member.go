package observe

import (
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// Member is one of the nine that is there.
type Member struct {
	UID      string
	Gateway  string // that it says it belongs to, by its label
	Digest   string // what a completion receipt records of it
	Deleting bool

	// Result compares it with the rendering that is bound to this gateway and its
	// state. Its State is 0 where there is no rendering. Without a state Secret
	// nothing is bound, and State is WrongUID.
	Result verify.Result

	// Retained compares it with the completion receipt; 0 where there is none.
	Retained verify.State

	Template  Template // of the StatefulSet
	Addresses []string // that the LoadBalancer Service was given, sorted

	// Others are the labels of a Service, by their keys and sorted, that are neither
	// this product's nor recorded as pool labels (UP-04).
	Others []string
}

// Names are the nine of a gateway in the order of objects.Set.
func Names(g *v1alpha1.TailnetGateway, namespace string) [objects.Count]rules.Object {
	object := func(kind, name string) rules.Object {
		return rules.Object{Kind: kind, Namespace: namespace, Name: name}
	}
	return [objects.Count]rules.Object{
		object("ServiceAccount", g.Name),
		object("Role", g.Name),
		object("RoleBinding", g.Name),
		object("ConfigMap", api.CoreDNSName(g.Name)),
		object("Service", g.Name),
		object("Service", string(g.Spec.DNS.ServiceName)),
		object("Service", api.LBServiceName(g.Name)),
		object("PodDisruptionBudget", g.Name),
		object("StatefulSet", g.Name),
	}
}

// Binding is what the nine are compared with.
type Binding struct {
	Rendered     *objects.Set // bound to both UIDs; nil where there is none
	Unbound      bool         // there is no state Secret to be bound to
	StateCreated time.Time    // creationTimestamp of the state Secret; zero if unknown
	Receipt      *receipt.Completion
}

// Bind prepares the comparison of the nine. Before completion the state's UID is
// that of the state Secret, afterwards that of the receipt.
func Bind(g *v1alpha1.TailnetGateway, r Fact[Render], state Fact[State], fresh Fact[Completion]) Binding {
	var b Binding
	var uid string
	if s, ok := state.Get(); ok {
		uid, b.StateCreated = s.UID, s.Created
	}
	if f, ok := fresh.Get(); ok && f.Err == nil {
		b.Receipt, uid = &f.Receipt, f.Receipt.State.UID
	}
	b.Unbound = uid == ""
	if render, ok := r.Get(); ok && render.Gateway != nil {
		if set, err := verify.Bind(*render.Gateway, string(g.UID), uid); err == nil {
			b.Rendered = &set
		}
	}
	return b
}

// Judge compares one of the nine, by its index in Nine.
func (b Binding) Judge(i int, name rules.Object, live verify.Live) Member {
	m := Member{
		UID:      string(live.GetUID()),
		Gateway:  live.GetLabels()[api.LabelGateway],
		Deleting: live.GetDeletionTimestamp() != nil,
		Result:   verify.Result{Object: name},
	}
	if digest, err := verify.Digest(live); err == nil {
		m.Digest = digest
	}
	switch {
	case b.Rendered != nil:
		m.Result = verify.Inspect(b.Rendered[i], live, b.StateCreated)
	case b.Unbound:
		m.Result.State, m.Result.Path = verify.WrongUID, "metadata.labels["+api.LabelStateUID+"]"
	}
	if b.Receipt != nil {
		m.Retained = verify.Replaced
		if recorded, ok := b.Receipt.Object(name.Kind, name.Name); ok {
			m.Retained = verify.Retained(recorded, live)
		}
	}
	switch o := live.(type) {
	case *appsv1.StatefulSet:
		m.Template = TemplateOf(o.Spec.Template.Spec)
	case *corev1.Service:
		m.Addresses, m.Others = addresses(o), others(o)
	}
	return m
}

func others(s *corev1.Service) []string {
	recorded := strings.Split(s.Annotations[api.AnnotationPoolLabelKeys], ",")
	var keys []string
	for key := range s.Labels {
		if !api.OwnedKey(key) && !slices.Contains(recorded, key) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func addresses(s *corev1.Service) []string {
	var out []string
	for _, in := range s.Status.LoadBalancer.Ingress {
		if in.IP != "" {
			out = append(out, in.IP)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
