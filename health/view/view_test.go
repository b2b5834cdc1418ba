package view

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

var now = time.Date(2026, 11, 30, 3, 0, 0, 0, time.UTC)

// Paths are read as package verify writes them.
func TestAt(t *testing.T) {
	var object any
	text := `{"data":{"zone.db":"z"},"metadata":{"labels":{"a/b":"l"}},"spec":{"ports":[{"name":"dns","port":53}],"list":[1,[2,{"x":3}]],"n":null}}`
	if err := json.Unmarshal([]byte(text), &object); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]any{
		"data[zone.db]": "z", "metadata.labels[a/b]": "l", "spec.ports[dns].port": 53.0, "spec.ports[0].port": 53.0, "spec.list[1][1].x": 3.0,
		"spec.ports[other].port": nil, "spec.list[9]": nil, "spec.list[-1]": nil, "spec.n.x": nil, "spec.ports[dns].port.x": nil, "nothing": nil,
	} {
		if got := at(object, path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestAge(t *testing.T) {
	l := Look{Now: now}
	for age, want := range map[time.Duration]string{
		-time.Hour: "0s", 0: "0s", 119 * time.Second: "119s", 2 * time.Minute: "2m", 119 * time.Minute: "119m",
		2 * time.Hour: "2h", 47 * time.Hour: "47h", 48 * time.Hour: "2d",
	} {
		if got := l.age(now.Add(-age)); got != want {
			t.Errorf("%v: %s, want %s", age, got, want)
		}
	}
	if got := l.age(time.Time{}); got != "-" {
		t.Errorf("no time: %s", got)
	}
}

// What is not known about a minter is not said.
//
// REQ: OP-01
func TestRunning(t *testing.T) {
	deployment := func(available int32) observe.Fact[*appsv1.Deployment] {
		return observe.Known(&appsv1.Deployment{Status: appsv1.DeploymentStatus{AvailableReplicas: available}})
	}
	lease := func(ago time.Duration) observe.Fact[*coordinationv1.Lease] {
		renewed, seconds := metav1.NewMicroTime(now.Add(-ago)), int32(35)
		return observe.Known(&coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{RenewTime: &renewed, LeaseDurationSeconds: &seconds}})
	}
	none, denied := observe.Absent[*appsv1.Deployment](), observe.Unknown[*appsv1.Deployment](observe.Denied)
	for _, c := range []struct {
		why    string
		minter observe.Fact[*appsv1.Deployment]
		lease  observe.Fact[*coordinationv1.Lease]
		want   Known
	}{
		{"its Pods are available", deployment(1), lease(time.Hour), Yes},
		{"its Pods are not", deployment(0), lease(time.Second), No},
		{"it runs elsewhere, and renews its lease", none, lease(90 * time.Second), Yes},
		{"it ran elsewhere", none, lease(96 * time.Second), No},
		{"the lease alone may be read", denied, lease(time.Second), Yes},
		{"nothing may be read", denied, observe.Unknown[*coordinationv1.Lease](observe.Denied), Maybe},
		{"there is no trace of it", none, observe.Absent[*coordinationv1.Lease](), Maybe},
		{"a lease that nobody ever held", none, observe.Known(&coordinationv1.Lease{}), Maybe},
	} {
		if got := running(Reading{Now: now, Minter: c.minter, Lease: c.lease}); got != c.want {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}

// Without a rendering it is not known what is wanted, and without a node that runs
// not what is advertised.
func TestRoutes(t *testing.T) {
	g := &v1alpha1.TailnetGateway{}
	if got := routesOf(g, nil); len(got) != 0 {
		t.Errorf("nobody knows a route: %v", got)
	}
	g.Status.AdvertisedRoutes = []v1alpha1.Route{"10.0.0.0/8", "10.1.0.0/16"}
	g.Status.ApprovedRoutes, g.Status.StaleRoutes = []v1alpha1.Route{"10.0.0.0/8"}, []v1alpha1.Route{"10.2.0.0/16"}
	want := []Route{
		{Prefix: "10.0.0.0/8", Wanted: Maybe, Advertised: Yes, Approved: Yes},
		{Prefix: "10.1.0.0/16", Wanted: Maybe, Advertised: Yes, Approved: No},
		{Prefix: "10.2.0.0/16", Wanted: Maybe, Advertised: No, Approved: Yes, Stale: true},
	}
	got := routesOf(g, nil)
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	// What is approved already stays so: the command replaces the whole set.
	command := Gateway{Identity: Identity{NodeID: "7"}, Routes: got}.approve()
	if want := []string{"headscale nodes approve-routes --identifier 7 --routes 10.0.0.0/8,10.1.0.0/16,10.2.0.0/16"}; !slices.Equal(command, want) {
		t.Errorf("%q, want %q", command, want)
	}
}

// Commands are taken out of a message as they stand there, and nothing else is.
func TestCommandsIn(t *testing.T) {
	message := "Secret `x` is in the way. To see why: `kubectl logs a`. Remove it: `kubectl delete secret b`. `rm -rf /`, `kubectl`."
	if got, want := commandsIn(message), []string{"kubectl logs a", "kubectl delete secret b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// Nobody who writes a status writes onto a terminal what he likes.
func TestClean(t *testing.T) {
	g := &v1alpha1.TailnetGateway{Status: v1alpha1.TailnetGatewayStatus{
		ObservedGeneration: 0, NodeID: "7\x1b[2J", IPv4: "a\nb", ServiceIP: "\u202ec", StaleNodeIDs: []v1alpha1.NodeID{"\r9"},
		AdvertisedRoutes: []v1alpha1.Route{"\x1b]0;x\a"},
		Conditions:       []metav1.Condition{{Type: "Ready", Status: "False", Reason: "Bad\x1b[1m", Message: "line\n`kubectl \x1b[8mx`"}},
	}}
	view := Of(Reading{Now: now, Gateway: g})
	text := view.Text(Look{Now: now}) + Table([]Gateway{view}, Look{Now: now})
	if i := strings.IndexFunc(text, func(r rune) bool { return r != '\n' && (r < ' ' || r == 0x7f || r == '\u202e') }); i >= 0 {
		t.Errorf("a control character in %q", text[max(0, i-20):])
	}
	if !strings.Contains(text, "line?`kubectl ?[8mx`") {
		t.Errorf("the message is not shown:\n%s", text)
	}
}

// A value stands on one line, and long ones are cut off.
func TestValue(t *testing.T) {
	for want, v := range map[string]any{
		`"a\x1bb"`: "a\x1bb", `"\u202e"`: "\u202e", `"a\nb"`: "a\nb", "plain: text": "plain: text", "53": 53.0, `{"a":["\u001b?"]}`: map[string]any{"a": []any{"\x1b\u202e"}},
	} {
		if got := value(v); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := value(strings.Repeat("ä", 200)); len(got) > maxValue+20 || !strings.HasSuffix(got, "… (400 bytes)") {
		t.Errorf("%q", got)
	}
}

// What only grows older is no change.
func TestChanges(t *testing.T) {
	g := Gateway{Name: "a", Health: "Healthy", Created: now, Conditions: []Condition{{Type: "Ready", Status: "True", Reason: "R", Message: "m.", Since: now}}}
	later := g
	later.Conditions = []Condition{{Type: "Ready", Status: "True", Reason: "R", Message: "m.", Since: now.Add(time.Hour)}}
	if got := Changes(g, later); len(got) != 0 {
		t.Errorf("%v", got)
	}
	later.Health, later.Conditions, later.Findings = "Degraded", nil, []string{"It is so."}
	want := []Change{{"health", "Healthy", "Degraded"}, {"!", "", "It is so."}, {"Ready", "True R: m.", ""}}
	if got := Changes(g, later); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Every reason and condition of the table is a topic, and nothing else is.
//
// REQ: ST-09
func TestFindTopic(t *testing.T) {
	for text, rows := range map[string]int{"freshblocked": 1, "READY/freshblocked": 1, "HostsMissing": 3, "Ready/HostsMissing": 2} {
		if topic, ok := FindTopic(text); !ok || len(topic.Rows) != rows {
			t.Errorf("%s: %d rows, want %d", text, len(topic.Rows), rows)
		}
	}
	for _, text := range []string{"", "/", "Nothing", "Bound/FreshBlocked", "Nothing/FreshBlocked", "Ready/"} {
		if topic, ok := FindTopic(text); ok {
			t.Errorf("%q is %v", text, topic)
		}
	}
}

// A narrow terminal has fewer columns, and never too few.
func TestTableWidth(t *testing.T) {
	list := []Gateway{{Name: "lab-gw", Health: "Healthy", Reason: "FreshRuntimeReady", Tailnet: "home", Created: now, DNS: DNS{Names: -1}}}
	for width, want := range map[int]string{
		0: "NAME HEALTH REASON NODE ROUTES SERIAL NAMES DRIFT TAILNET AGE", 200: "NAME HEALTH REASON NODE ROUTES SERIAL NAMES DRIFT TAILNET AGE",
		85: "NAME HEALTH REASON NODE ROUTES SERIAL DRIFT TAILNET AGE", 60: "NAME HEALTH REASON NODE ROUTES DRIFT", 10: "NAME HEALTH REASON",
	} {
		head, _, _ := strings.Cut(Table(list, Look{Width: width, Now: now}), "\n")
		if got := strings.Join(strings.Fields(head), " "); got != want || width >= 60 && len(strings.TrimSpace(head)) > width {
			t.Errorf("%d: %q, want %q", width, got, want)
		}
	}
}
