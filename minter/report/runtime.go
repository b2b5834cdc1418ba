package report

import (
	"net/netip"
	"slices"
	"strings"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/plan"
	"tsunaro.io/gateway/renderer/rules"
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
	r, rendered := s.Render.Get()
	switch {
	case s.Nine[observe.Workload].Unknown():
		return unavailable(s.name(observe.Workload))
	case !there:
		return s.untold(s.name(observe.Workload), isMissing)
	case set.Retained == verify.Replaced:
		return s.untold(s.name(observe.Workload), isReplaced)
	case set.Retained != verify.Same:
		return s.untold(s.name(observe.Workload), hasDrifted)
	case !rendered:
		return unavailable(api.KindTailnetEgress + "/" + s.Namespace)
	case r.Gateway == nil:
		return s.refused(r.Refused)
	case set.Result.State != verify.Same:
		return s.outOfSync(set, r.Gateway.Plan.Routes)
	case s.Pods.Unknown():
		return unavailable(s.object("Pod", s.pod()))
	}
	return s.template(set.Template)
}

// Why it cannot be told what the Pod should run, for people: each is said after the
// name of an object.
const (
	isMissing  = "is missing"
	isReplaced = "is not the one that was recorded"
	hasDrifted = "was changed since it was verified"
	isRefused  = "is refused"
)

func (s *subject) untold(object, problem string) *statement {
	return say(api.ReasonWorkloadUpdateBlocked, values{"object": object, "problem": problem})
}

// refused is what a rendering was refused for, such as routes that are invalid.
func (s *subject) refused(why rules.Refusal) *statement {
	if len(why) == 0 {
		return s.untold(api.KindTailnetGateway+"/"+s.g.Name, isRefused)
	}
	f := why[0]
	said := s.untold(f.Object.String(), isRefused)
	said.values["path"], said.values["must"], said.values["rule"] = f.Path, f.Text(), string(f.Rule)
	return said
}

// outOfSync says where the template is another than what the cluster's custom
// resources come to. A build that was rendered without one of them never gets there,
// so that an egress whose route is lacking is named.
func (s *subject) outOfSync(set observe.Member, want []plan.Route) *statement {
	said := values{"object": s.name(observe.Workload), "path": set.Result.Path}
	var planned, lacking []netip.Prefix
	for _, r := range want {
		planned = append(planned, r.Prefix)
		if slices.Contains(set.Template.Routes, r.Prefix) {
			continue
		}
		lacking = append(lacking, r.Prefix)
		if r.Egress != nil && said["input"] == "" {
			said["input"] = r.From
		}
	}
	if len(lacking) > 0 {
		said["routes"] = verdict.Routes(lacking)
	}
	if beyond := without(set.Template.Routes, planned); len(beyond) > 0 {
		said["stale"] = verdict.Routes(beyond)
	}
	return say(api.ReasonTemplateOutOfSync, said)
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

// service says whether the LoadBalancer has given an address (UP-04), and before
// that whether its pool can be chosen: a label of somebody else's with a pool key is
// never taken over, whatever its value.
func (s *subject) service() *statement {
	said := values{"object": s.name(balancer)}
	m, _ := s.Nine[balancer].Get()
	key, taken := s.takenPoolKey(m.Others)
	switch {
	case s.Nine[balancer].Unknown():
		return say(api.ReasonEvidenceUnavailable, said)
	case taken:
		said["key"] = key
		said["command"] = "kubectl label service " + api.LBServiceName(s.g.Name) + " " + key + "- --namespace " + s.Namespace
		return say(api.ReasonServiceUpdateBlocked, said)
	case len(m.Addresses) == 0:
		return say(api.ReasonLBPending, said)
	}
	said["addresses"] = strings.Join(m.Addresses, ", ")
	return say(api.ReasonLoadBalancerAssigned, said)
}

// takenPoolKey is the first pool key of the spec that is among others' labels.
func (s *subject) takenPoolKey(others []string) (key string, taken bool) {
	r, _ := s.Render.Get()
	if r.Gateway == nil {
		return "", false
	}
	for _, pair := range r.Gateway.Inputs.Gateway.PoolLabels {
		if slices.Contains(others, pair.Key) {
			return pair.Key, true
		}
	}
	return "", false
}
