package teardown

import (
	"cmp"
	"slices"
	"strings"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/rules"
)

// Holding is what becomes of a Tailnet's finalizer (TD-07).
type Holding struct {
	Step verdict.Step // verdict.AddFinalizer, verdict.RemoveFinalizer or verdict.None

	// Unread means that the gateways are not known, and so whether one needs the
	// Tailnet. InUse is the first that does, of a Tailnet that is being deleted.
	Unread bool
	InUse  rules.Object
}

// Hold decides about the finalizer of a Tailnet: it is there as long as a gateway
// refers to the Tailnet whose deletion means its teardown. namespace is the
// minter's own; gateways are all of the cluster.
func Hold(t *v1alpha1.Tailnet, namespace string, gateways observe.Fact[[]v1alpha1.TailnetGateway]) Holding {
	if cmp.Or(string(t.Spec.OperatorNamespace), api.DefaultOperatorNamespace) != namespace {
		return Holding{} // another minter's (RN-12)
	}
	all, known := gateways.Get()
	if !known {
		return Holding{Unread: true}
	}
	step := verdict.Step{Object: rules.Object{Kind: api.KindTailnet, Name: t.Name}, UID: string(t.UID), Revision: t.ResourceVersion}
	user, needed := firstUser(t.Name, all)
	switch {
	case needed && t.DeletionTimestamp != nil:
		return Holding{InUse: rules.Object{Kind: api.KindTailnetGateway, Name: user}}
	case needed && !verdict.Held(t):
		step.Do = verdict.AddFinalizer
	case !needed && verdict.Held(t):
		step.Do = verdict.RemoveFinalizer
	default:
		step = verdict.Step{}
	}
	return Holding{Step: step}
}

// firstUser is the first gateway, by its name, that needs the Tailnet.
func firstUser(tailnet string, gateways []v1alpha1.TailnetGateway) (name string, ok bool) {
	var names []string
	for i := range gateways {
		if g := &gateways[i]; string(g.Spec.TailnetRef.Name) == tailnet && Needs(g) {
			names = append(names, g.Name)
		}
	}
	slices.SortFunc(names, strings.Compare)
	if len(names) == 0 {
		return "", false
	}
	return names[0], true
}

// Needs reports whether a gateway would be torn down: one that is on its way out
// without our finalizer will not be.
func Needs(g *v1alpha1.TailnetGateway) bool {
	return g.Spec.DeletionPolicy == v1alpha1.DeletionDelete && (g.DeletionTimestamp == nil || finalized(g.Finalizers))
}
