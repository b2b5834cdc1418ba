package view

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/health"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Of makes the view of a gateway.
func Of(r Reading) Gateway {
	g := about(r.Gateway)
	g.Namespace = r.Namespace
	g.Minter.Running = running(r)
	judgeTailnet(&g, r)
	identify(&g, r)
	g.PodExists = is(r.Pod)
	if p, ok := r.Pod.Get(); ok {
		g.Pod = podOf(p)
	}
	g.Resources, g.NotCompared = Resources(r), WhyNotCompared(r)
	rendered, _ := r.Render().Get()
	if rendered.Gateway != nil {
		g.Routes = routesOf(r.Gateway, rendered.Gateway)
	}
	if g.Identity.Completed == No && len(r.Gateway.Status.AdvertisedRoutes) == 0 { // there is no node that could
		for i := range g.Routes {
			g.Routes[i].Advertised, g.Routes[i].Approved = No, No
		}
	}
	serve(&g, r, rendered)
	g.Unread = unread(r)
	g.Findings = findings(g, rendered)
	g.Next = next(g)
	return g
}

// Glance is Of for a list: of the reading it takes the gateway, its Tailnet and the
// minter.
func Glance(r Reading) Gateway {
	g := about(r.Gateway)
	g.Namespace = r.Namespace
	g.Minter.Running = running(r)
	judgeTailnet(&g, r)
	g.Findings = findings(g, observe.Render{})
	g.Next = next(g)
	return g
}

func judgeTailnet(g *Gateway, r Reading) {
	if t, ok := r.Tailnet.Get(); ok {
		v := health.Tailnet(t)
		g.TailnetIs = &Health{string(v.Status), clean(v.Reason), clean(v.Message), v.Next}
	}
}

// about is what the gateway's own object tells.
func about(g *v1alpha1.TailnetGateway) Gateway {
	v := health.Gateway(g)
	out := Gateway{
		Name: g.Name, Namespace: "", Tailnet: string(g.Spec.TailnetRef.Name), Created: g.CreationTimestamp.Time,
		Health: string(v.Status), Reason: clean(v.Reason), Message: clean(v.Message),
		Minter: Minter{Running: Maybe, Seen: g.Status.ObservedGeneration, Generation: g.Generation},
		Identity: Identity{
			UID: string(g.UID), Hostname: cmp.Or(string(g.Spec.Hostname), g.Name), NodeID: clean(g.Status.NodeID), IPv4: clean(g.Status.IPv4),
			StateSecret: api.StateSecretName(g.Name), StateExists: Maybe, Completed: Maybe,
		},
		PodExists: Maybe,
		DNS: DNS{
			Zone: string(g.Spec.DNS.Zone), Names: -1,
			Addresses: Addresses{string(g.Spec.LoadBalancerIP), clean(g.Status.ServiceIP), string(g.Spec.DNS.ClusterIP), clean(g.Status.IPv4)},
		},
		Findings: []string{}, Resources: []Resource{}, Conditions: []Condition{}, Unread: []Unread{},
		Routes: routesOf(g, nil),
	}
	for _, t := range g.Spec.Tags {
		out.Identity.Tags = append(out.Identity.Tags, string(t))
	}
	for _, id := range g.Status.StaleNodeIDs {
		out.Identity.StaleNodeIDs = append(out.Identity.StaleNodeIDs, clean(string(id)))
	}
	if d := g.Status.DNS; d != nil {
		out.DNS.Serial, out.DNS.Names = uint32(d.Serial), int(d.Names)
	}
	for _, t := range api.ConditionTypes {
		for _, c := range g.Status.Conditions {
			if c.Type == t.Type {
				out.Conditions = append(out.Conditions, conditionOf(c))
			}
		}
	}
	return out
}

func conditionOf(c metav1.Condition) Condition {
	row, _ := api.FindCondition(api.KindTailnetGateway, c.Type, c.Reason)
	return Condition{c.Type, string(c.Status), clean(c.Reason), clean(c.Message), c.LastTransitionTime.Time, string(row.Health)}
}

// Suspended reports whether nothing of a gateway is rendered; that is its default.
func Suspended(g *v1alpha1.TailnetGateway) bool { return g.Spec.Suspend == nil || *g.Spec.Suspend }

func identify(g *Gateway, r Reading) {
	if e, ok := r.entry(); ok {
		g.Identity.Phase = string(e.Phase)
	}
	g.Identity.StateUID = r.StateUID()
	g.Identity.StateExists, g.Identity.Completed = is(r.State), is(r.Fresh)
}

// is tells whether there is such an object.
func is[T any](f observe.Fact[T]) Known {
	switch {
	case f.Known():
		return Yes
	case f.Absent():
		return No
	}
	return Maybe
}

func podOf(p *corev1.Pod) *Pod {
	out := &Pod{Name: p.Name, Ready: observe.PodOf(p).Ready, Phase: string(p.Status.Phase), Node: p.Spec.NodeName}
	if p.Status.StartTime != nil {
		out.Started = p.Status.StartTime.Time
	}
	for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
		out.Restarts += s.RestartCount
		if w := s.State.Waiting; w != nil && out.Waiting == "" && w.Reason != "PodInitializing" {
			out.Waiting = s.Name + ": " + clean(w.Reason)
		}
	}
	return out
}

// routesOf are the routes that anybody knows of, in order. Without a rendering it is
// not known which are wanted.
func routesOf(g *v1alpha1.TailnetGateway, rendered *renderer.Gateway) []Route {
	routes := []Route{}
	find := func(prefix string) *Route {
		for i := range routes {
			if routes[i].Prefix == prefix {
				return &routes[i]
			}
		}
		routes = append(routes, Route{Prefix: prefix, Wanted: Maybe, Advertised: Maybe, Approved: Maybe})
		return &routes[len(routes)-1]
	}
	if rendered != nil {
		for _, p := range rendered.Plan.Routes {
			route := find(p.Prefix.String())
			route.From, route.Wanted = p.From, Yes
		}
	}
	for _, p := range g.Status.AdvertisedRoutes {
		find(clean(string(p))).Advertised = Yes
	}
	for _, p := range g.Status.ApprovedRoutes {
		find(clean(string(p))).Approved = Yes
	}
	for _, p := range g.Status.StaleRoutes {
		route := find(clean(string(p)))
		route.Approved, route.Stale = Yes, true
	}
	if len(g.Status.AdvertisedRoutes) == 0 { // the minter has not seen a node that runs
		return routes
	}
	for i := range routes {
		route := &routes[i]
		route.Advertised, route.Approved = no(route.Advertised), no(route.Approved)
		if rendered != nil {
			route.Wanted = no(route.Wanted)
		}
	}
	return routes
}

// no is No for what was not heard of, where everything has been listed.
func no(k Known) Known {
	if k == Yes {
		return Yes
	}
	return No
}
