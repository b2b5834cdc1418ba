package report_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fluxcd/pkg/runtime/conditions/check"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/report"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// flux is a gateway as Flux's checker takes it.
type flux struct {
	v1alpha1.TailnetGateway `json:",inline"`
}

func (f *flux) GetConditions() []metav1.Condition { return f.Status.Conditions }

// kstatusErrors are the checker's complaints. It has a checker of its own for what
// is awaited while Ready is Unknown; a suspended gateway is none of its states.
func kstatusErrors(t *testing.T, g *v1alpha1.TailnetGateway) error {
	t.Helper()
	c := check.NewChecker(nil, &check.Conditions{NegativePolarity: []string{api.ConditionReconciling, api.ConditionStalled}})
	ready := meta.FindStatusCondition(g.Status.Conditions, api.ConditionReady)
	switch {
	case ready.Status == metav1.ConditionUnknown:
		c = check.NewInProgressChecker(nil)
	case ready.Reason == api.ReasonSuspended:
		return nil
	}
	c.DisableFetch, c.Stdout, c.Stderr = true, io.Discard, io.Discard
	fail, warn := c.Check(t.Context(), &flux{*g})
	if fail != nil {
		return fail
	}
	return warn
}

// sound holds for every status: each condition is of this generation and complete,
// and the kstatus conditions go with Ready.
func sound(t *testing.T, why string, g *v1alpha1.TailnetGateway) {
	t.Helper()
	if err := kstatusErrors(t, g); err != nil {
		t.Errorf("%s: %v\n%s", why, err, plain(g))
	}
	if g.Status.ObservedGeneration != g.Generation {
		t.Errorf("%s: observed generation %d", why, g.Status.ObservedGeneration)
	}
	for _, c := range g.Status.Conditions {
		if c.ObservedGeneration != g.Generation || strings.ContainsAny(c.Message, "{}") || c.LastTransitionTime.IsZero() {
			t.Errorf("%s: %+v", why, c)
		}
	}
}

func plain(g *v1alpha1.TailnetGateway) string {
	var lines []string
	for _, c := range g.Status.Conditions {
		lines = append(lines, fmt.Sprintln(c.Type, c.Status, c.Reason, c.Message, c.ObservedGeneration))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// In every row of the table the status is sound, and the same when it is made
// again, later and over itself.
//
// REQ: ST-01, ST-02, LC-04
func TestStatus(t *testing.T) {
	for _, r := range rows {
		w := world(t)
		r.change(&w)
		v := verdict.Decide(w)
		next, events := report.Status(w, v)
		if next == nil || len(events) == 0 {
			t.Fatalf("%s: no first status", r.why)
		}
		sound(t, r.why, next)
		w.Gateway, w.Now = observe.Known(next), w.Now.Add(time.Hour)
		if again, events := report.Status(w, v); again != nil || events != nil {
			t.Errorf("%s: written again", r.why)
		}
	}
}

// From every state to every other: nothing of the first is left, and a condition's
// transition time changes with its status alone.
//
// REQ: ST-07, ST-02
func TestFromEveryState(t *testing.T) {
	type state struct {
		why string
		w   observe.World
		v   verdict.Verdict
	}
	var states []state
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen[r.why] {
			seen[r.why] = true
			w := world(t)
			r.change(&w)
			states = append(states, state{r.why, w, verdict.Decide(w)})
		}
	}
	for _, a := range states {
		before, _ := report.Status(a.w, a.v)
		for _, b := range states {
			w := b.w
			fresh, _ := report.Status(w, b.v)
			g, _ := w.Gateway.Get()
			g = g.DeepCopy()
			g.Status = *before.Status.DeepCopy()
			w.Gateway, w.Now = observe.Known(g), w.Now.Add(time.Hour)
			after, _ := report.Status(w, b.v)
			if after == nil {
				after = g
			}
			if got, want := plain(after), plain(fresh); got != want {
				t.Errorf("%s, then %s:\n%s\nwant\n%s", a.why, b.why, got, want)
			}
			for _, c := range after.Status.Conditions {
				was := meta.FindStatusCondition(before.Status.Conditions, c.Type)
				if same := was != nil && was.Status == c.Status; same != (was != nil && was.LastTransitionTime.Equal(&c.LastTransitionTime)) {
					t.Errorf("%s, then %s: %s turned at %v", a.why, b.why, c.Type, c.LastTransitionTime)
				}
			}
		}
	}
	if len(states) < 30 {
		t.Errorf("%d states", len(states))
	}
}

// REQ: LC-04
func TestSuspended(t *testing.T) {
	w := world(t)
	before := status(t, w).DeepCopy()
	before.Status.Conditions = append(before.Status.Conditions, metav1.Condition{Type: "Audited", Status: "True", Reason: "ByHand", ObservedGeneration: 1})
	on := true
	before.Spec.Suspend, before.Generation = &on, 4
	// Nothing but the gateway and the registry is read then.
	w = observe.World{Now: w.Now, Namespace: w.Namespace, Gateway: observe.Known(before), Registry: w.Registry}
	after, events := report.Status(w, verdict.Decide(w))
	want := `Audited True ByHand  1
Bound Unknown Suspended Nothing is claimed while the gateway is suspended. 4
ClusterDNSForward Unknown Suspended Nothing is claimed while the gateway is suspended. 4
DNSReady Unknown Suspended Nothing is claimed while the gateway is suspended. 4
InSync Unknown Suspended Nothing is claimed while the gateway is suspended. 4
Ready False Suspended The gateway is suspended: nothing is rendered or minted, and what runs keeps running. 4
Registered Unknown Suspended Nothing is claimed while the gateway is suspended. 4
RoutesInSync Unknown Suspended Nothing is claimed while the gateway is suspended. 4
StaleNodes Unknown Suspended Nothing is claimed while the gateway is suspended. 4
`
	if got := plain(after); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if s := after.Status; s.ObservedGeneration != 4 || s.NodeID != "7" || s.IPv4 != "100.64.0.7" || len(s.AdvertisedRoutes) != 2 || s.RoutePlan == nil {
		t.Errorf("%+v", s)
	}
	if len(events) != 1 || events[0].Reason != "Suspended" || events[0].Type != "Normal" {
		t.Errorf("%v", events)
	}
}

// What is not ours to write: another minter's gateway, and one that is not there.
//
// REQ: RN-12
func TestLeftAlone(t *testing.T) {
	w := world(t)
	w.Namespace = "elsewhere"
	if next, events := report.Status(w, verdict.Decide(w)); next != nil || events != nil {
		t.Errorf("%+v", next.Status)
	}
	w.Gateway = observe.Absent[*v1alpha1.TailnetGateway]()
	if next, events := report.Status(w, verdict.Decide(w)); next != nil || events != nil {
		t.Errorf("%+v", next.Status)
	}
}

// A success that nobody has seen is withdrawn, and conditions of others stay.
//
// REQ: ST-07
func TestForged(t *testing.T) {
	w := world(t)
	bootstrapping(registry.Open)(&w)
	g, _ := w.Gateway.Get()
	for _, kind := range []string{"Audited", "Ready", "WorkloadCurrent", "ServiceReady", "Stalled", "DNSReady", "APIKey"} {
		g.Status.Conditions = append(g.Status.Conditions, metav1.Condition{Type: kind, Status: "True", Reason: "Forged", ObservedGeneration: 3})
	}
	after := status(t, w)
	for _, c := range after.Status.Conditions {
		if c.Reason == "Forged" && c.Type != "Audited" && c.Type != "APIKey" { // of a Tailnet
			t.Errorf("%s stays", c.Type)
		}
	}
	if len(after.Status.Conditions) != 11 || meta.FindStatusCondition(after.Status.Conditions, "Audited") == nil {
		t.Errorf("%s", plain(after))
	}
}

// REQ: ST-09
func TestFields(t *testing.T) {
	w := world(t)
	registered(func(n *node.Node) { n.Approved = append(n.Approved[:1:1], other) })(&w)
	edit(&w.Nodes, func(n *[]node.Node) {
		*n = append(*n, node.Node{ID: "12", Name: "lab-gw", GivenName: "lab-gw-2"}, node.Node{ID: "3", Name: "lab-gw"})
	})
	behind(&w)
	s := status(t, w).Status
	got := fmt.Sprintln(s.NodeID, s.IPv4, s.ServiceIP, s.AdvertisedRoutes, s.ApprovedRoutes, s.StaleRoutes, s.StaleNodeIDs, s.Drift, s.RoutePlan.At.UTC(), len(s.RoutePlan.Hash))
	want := fmt.Sprintln("7", "100.64.0.7", "10.99.0.53", "[10.99.0.0/24 192.168.10.0/24]", "[192.168.10.0/24]", "[10.1.0.0/16]", "[3 12]", "[{StatefulSet lab-gw spec.x}]", start, 64)
	if got != want {
		t.Errorf("got  %swant %s", got, want)
	}

	// What is not seen keeps its last value; what is seen to be gone goes.
	before := status(t, w).DeepCopy()
	w.Gateway, w.Now = observe.Known(before), start.Add(time.Hour)
	w.Nodes, w.Render = observe.Unknown[[]node.Node](observe.Unreachable), observe.Unknown[observe.Render](observe.Denied)
	member(6, func(m *observe.Member) { m.Addresses = nil })(&w)
	s = status(t, w).Status
	if s.NodeID != "7" || len(s.AdvertisedRoutes) != 2 || len(s.StaleNodeIDs) != 2 || s.ServiceIP != "" || !s.RoutePlan.At.Equal(&before.Status.RoutePlan.At) {
		t.Errorf("%+v", s)
	}

	// A changed plan has a new hash and a new time.
	w = world(t)
	w.Gateway, w.Now = observe.Known(before), start.Add(time.Hour)
	rendered([]string{"192.168.10.0/24", "192.168.11.0/24"}, nil)(&w)
	if p := status(t, w).Status.RoutePlan; p.Hash == before.Status.RoutePlan.Hash || !p.At.Time.Equal(start.Add(time.Hour)) {
		t.Errorf("%+v", p)
	}
}

// However much differs, and however many routes there are, the status stays one that
// the API server stores.
//
// REQ: ST-06, ST-02, UP-06
func TestBounds(t *testing.T) {
	w := world(t)
	for i := range w.Nine {
		member(i, func(m *observe.Member) {
			m.Result.State = verify.Different
			for n := range 5 {
				path := fmt.Sprintf("spec.%d.%s", n, strings.Repeat("ä", 400))
				m.Result.Differences = append(m.Result.Differences, verify.Difference{Path: path})
			}
		})(&w)
	}
	var many []netip.Prefix
	for i := range 20000 {
		many = append(many, netip.PrefixFrom(netip.AddrFrom4([4]byte{172, 16, byte(i >> 8), byte(i)}), 32))
	}
	pod(func(p *observe.Pod) { p.Routes = many })(&w)
	registered(func(n *node.Node) { n.Advertised, n.Approved = many, append(many[10000:20000:20000], unwanted()...) })(&w)
	v := verdict.Verdict{Reason: api.ReasonFreshRuntimeReady, Values: map[string]string{"pod": "lab-gw-0"}, Evidence: verdict.Decide(w).Evidence}
	next, _ := report.Status(w, v)
	s := next.Status
	if len(s.Drift) != 16 {
		t.Errorf("%d fields", len(s.Drift))
	}
	for _, d := range s.Drift {
		if !utf8.ValidString(d.Path) || len(d.Path) > 512 || len(d.Path) < 500 {
			t.Errorf("%q", d.Path)
		}
	}
	if len(s.AdvertisedRoutes) != 16384 || len(s.ApprovedRoutes) != 10000 || len(s.StaleRoutes) != 16384 {
		t.Errorf("%d, %d, %d routes", len(s.AdvertisedRoutes), len(s.ApprovedRoutes), len(s.StaleRoutes))
	}
	for _, c := range s.Conditions {
		if len(c.Message) > 32768 {
			t.Errorf("%s says %d bytes", c.Type, len(c.Message))
		}
		if c.Type == api.ConditionRoutesInSync && !strings.Contains(c.Message, "172.16.0.255/32 and others. Approved but no longer wanted: ") {
			t.Errorf("%s", c.Message)
		}
	}
	if data, err := json.Marshal(s); err != nil || len(data) > 1<<20 {
		t.Errorf("%d bytes, %v", len(data), err)
	}
}

// unwanted are routes that nobody asks for.
func unwanted() (routes []netip.Prefix) {
	for i := range 20000 {
		routes = append(routes, netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 7, byte(i >> 8), byte(i)}), 32))
	}
	return routes
}
