package report

import (
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/rules"
)

// subject is a gateway that is reported on.
type subject struct {
	observe.World
	v verdict.Verdict
	g *v1alpha1.TailnetGateway
}

// conditions are all that the gateway has, by type. What is left out is removed.
func (s *subject) conditions() map[string]*statement {
	if verdict.Suspended(s.g) {
		return suspended()
	}
	ready := say(s.v.Reason, s.v.Values)
	said := map[string]*statement{
		api.ConditionReady:             ready,
		api.ConditionBound:             s.bound(),
		api.ConditionRegistered:        s.registered(),
		api.ConditionRoutesInSync:      s.routes(),
		api.ConditionDNSReady:          s.dns(),
		api.ConditionInSync:            s.inSync(),
		api.ConditionStaleNodes:        say(api.ReasonExternallyManaged, nil),
		api.ConditionClusterDNSForward: say(api.ReasonExternallyManaged, nil),
	}
	switch ready.row(api.ConditionReady).Effect {
	case api.Reconciles:
		said[api.ConditionReconciling] = say(api.ReasonAwaiting, values{"reason": s.v.Reason})
	case api.Stalls:
		said[api.ConditionStalled] = say(api.ReasonBlocked, values{"reason": s.v.Reason})
	}
	if s.v.Evidence.Completed && s.g.DeletionTimestamp == nil { // UP-07
		said[api.ConditionWorkloadCurrent] = s.workload()
		said[api.ConditionServiceReady] = s.service()
	}
	return said
}

// suspended claims nothing, and takes nothing back that is no claim (LC-04).
func suspended() map[string]*statement {
	said := map[string]*statement{}
	for _, t := range api.ConditionTypes {
		if _, ok := api.FindCondition(api.KindTailnetGateway, t.Type, api.ReasonSuspended); ok {
			said[t.Type] = say(api.ReasonSuspended, nil)
		}
	}
	return said
}

// object names an object of the operator namespace, which is the minter's own.
func (s *subject) object(kind, name string) string {
	return rules.Object{Kind: kind, Namespace: s.Namespace, Name: name}.String()
}

func (s *subject) pod() string       { return s.g.Name + "-0" }
func (s *subject) headscale() string { return "Headscale/" + string(s.g.Spec.TailnetRef.Name) }

// The order of the nine is that of observe.Nine.
const (
	coreDNS  = 3
	balancer = 6
)

func (s *subject) name(i int) string { return observe.Names(s.g, s.Namespace)[i].String() }
