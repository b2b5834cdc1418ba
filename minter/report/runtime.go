package report

import (
	"net/netip"
	"slices"
	"strings"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
)

// routes compares what the running Pod advertises with what Headscale has
// approved. Without a proven node nothing can be said (UP-06).
func (s *subject) routes() *statement {
	if s.v.Reason != api.ReasonFreshRuntimeReady {
		return say(api.ReasonNotReady, nil)
	}
	said := values{}
	if stale := s.stale(); len(stale) > 0 {
		said["stale"] = verdict.Routes(stale)
	}
	missing := without(s.v.Evidence.Pod.Routes, s.v.Evidence.Node.Approved)
	if len(missing) > 0 {
		said["routes"] = verdict.Routes(missing)
		return say(api.ReasonNotApproved, said)
	}
	return say(api.ReasonApproved, said)
}

// stale are the routes that are approved and no longer wanted: by the spec where
// its plan is known, else by the Pod.
func (s *subject) stale() []netip.Prefix {
	want := s.v.Evidence.Pod.Routes
	if planned, ok := s.planned(); ok {
		want = planned
	}
	return without(s.v.Evidence.Node.Approved, want)
}

// planned are the routes that the spec asks for.
func (s *subject) planned() (routes []netip.Prefix, ok bool) {
	r, _ := s.Render.Get()
	if r.Gateway == nil {
		return nil, false
	}
	for _, route := range r.Gateway.Plan.Routes {
		routes = append(routes, route.Prefix)
	}
	return routes, true
}

// without are the prefixes of a that b lacks, sorted.
func without(a, b []netip.Prefix) []netip.Prefix {
	rest := slices.DeleteFunc(slices.Clone(a), func(p netip.Prefix) bool { return slices.Contains(b, p) })
	slices.SortFunc(rest, netip.Prefix.Compare)
	return slices.Compact(rest)
}

// workload says whether the Pod runs the present template (UP-03). Only its own
// restart changes that.
func (s *subject) workload() *statement {
	set, there := s.Nine[observe.Workload].Get()
	object := values{"object": s.name(observe.Workload)}
	r, rendered := s.Render.Get()
	switch {
	case s.Nine[observe.Workload].Unknown():
		return say(api.ReasonEvidenceUnavailable, object)
	case !there || set.Retained != verify.Same:
		return say(api.ReasonWorkloadUpdateBlocked, object)
	case !rendered:
		return unavailable("TailnetEgress/" + s.Namespace)
	case r.Gateway == nil:
		return say(api.ReasonWorkloadUpdateBlocked, object)
	case set.Result.State != verify.Same:
		return say(api.ReasonTemplateOutOfSync, object)
	case s.Pods.Unknown():
		return unavailable(s.object("Pod", s.pod()))
	}
	return s.template(set.Template)
}

func (s *subject) template(t observe.Template) *statement {
	said := values{"pod": s.pod()}
	pod := s.v.Evidence.Pod
	switch {
	case pod == nil:
		return say(api.ReasonPodMissing, said)
	case pod.Template.Equal(t):
		return say(api.ReasonPodCurrent, said)
	}
	if later := without(t.Routes, pod.Routes); len(later) > 0 {
		said["routes"] = verdict.Routes(later)
	}
	if beyond := without(pod.Routes, t.Routes); len(beyond) > 0 {
		said["stale"] = verdict.Routes(beyond)
	}
	return say(api.ReasonPodTemplateStale, said)
}

// service says whether the LoadBalancer has given an address (UP-04).
func (s *subject) service() *statement {
	said := values{"object": s.name(balancer)}
	m, _ := s.Nine[balancer].Get()
	switch {
	case s.Nine[balancer].Unknown():
		return say(api.ReasonEvidenceUnavailable, said)
	case len(m.Addresses) == 0:
		return say(api.ReasonLBPending, said)
	}
	said["addresses"] = strings.Join(m.Addresses, ", ")
	return say(api.ReasonLoadBalancerAssigned, said)
}
