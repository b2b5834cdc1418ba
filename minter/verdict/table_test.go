package verdict_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// ready and open are stages besides those at which an action is due: everything
// done, and the entry open without any of the nine.
const (
	ready    verdict.Action = "ready"
	open     verdict.Action = "open"
	unnamed  verdict.Action = "unnamed"  // a state Secret of which no entry and no process knows
	unasked  verdict.Action = "unasked"  // phase minting, by a process that is no more
	expired  verdict.Action = "expired"  // the same, a day later
	closed   verdict.Action = "closed"   // the same, when the entry has been closed
	restored verdict.Action = "restored" // complete, the registry lost
)

// at is the world of a gateway when an action is due, everything built anew.
func at(t testing.TB, stage verdict.Action) observe.World {
	t.Helper()
	p := &process{c: newCluster(t)}
	until := stage
	switch stage {
	case open:
		p.c.engine, until = false, ready
	case unnamed:
		until = verdict.OpenEntry
	case unasked, expired, closed:
		until = verdict.Mint
	case restored:
		until = ready
	}
	for range 100 {
		w := p.c.read(p.attempt)
		v := verdict.Decide(w)
		due := v.Step.Do
		if due == verdict.None && !p.c.tick() {
			due = ready
		}
		if due != until {
			if v.Step.Do != verdict.None {
				p.carryOut(v.Step, fine)
			}
			continue
		}
		switch stage {
		case unnamed:
			w.Attempt, w.Now = observe.Attempt{}, start.Add(time.Minute)
		case unasked:
			w.Attempt = observe.Attempt{}
		case expired, closed:
			w.Attempt, w.Now = observe.Attempt{}, start.Add(24*time.Hour)
			if stage == closed {
				w.Registry = observe.Absent[observe.Registry]()
			}
		case restored:
			w.Registry = observe.Absent[observe.Registry]()
		}
		return w
	}
	t.Fatalf("%s is never due", until)
	return observe.World{}
}

// member changes one of the nine.
func member(w *observe.World, i int, change func(*observe.Member)) {
	m, _ := w.Nine[i].Get()
	change(&m)
	w.Nine[i] = observe.Known(m)
}

func pod(w *observe.World, change func(*observe.Pod)) {
	all, _ := w.Pods.Get()
	all = slices.Clone(all)
	change(&all[0])
	w.Pods = observe.Known(all)
}

func edit[T any](f *observe.Fact[T], change func(*T)) {
	v, _ := f.Get()
	change(&v)
	*f = observe.Known(v)
}

func entry(w *observe.World, field, value string) {
	edit(&w.Registry, func(r *observe.Registry) {
		r.Data = maps.Clone(r.Data)
		r.Data[api.BindingKey("lab-gw", field)] = value
		if value == "" {
			delete(r.Data, api.BindingKey("lab-gw", field))
		}
	})
}

// t0 is for fixtures that are made outside of a test.
var t0 = &testing.T{}

type v1Tailnet = v1alpha1.Tailnet

// row is one line of the truth table: what happens to a world at a stage, and
// what is decided then. Object is the one that the text names, with the path
// where there is one; command is what the text advises.
type row struct {
	why     string
	stage   verdict.Action
	change  func(*observe.World)
	do      verdict.Action
	reason  string
	object  string
	command string
}

func suspend(w *observe.World) {
	g, _ := w.Gateway.Get()
	on := true
	g.Spec.Suspend = &on
}

func terminate(w *observe.World) {
	g, _ := w.Gateway.Get()
	g.DeletionTimestamp = &metav1.Time{Time: w.Now}
}

func finalize(w *observe.World) {
	g, _ := w.Gateway.Get()
	g.Finalizers = []string{"other", "tsunaro.io/gateway-teardown"}
}

func consent(w *observe.World) {
	g, _ := w.Gateway.Get()
	g.Spec.DeletionPolicy = "Delete"
}

func hold(w *observe.World) {
	t, _ := w.Tailnet.Get()
	t.Finalizers = []string{"tsunaro.io/gateway-teardown"}
}

func recreate(w *observe.World) {
	g, _ := w.Gateway.Get()
	g.UID = types.UID(uid(99))
}

func all(changes ...func(*observe.World)) func(*observe.World) {
	return func(w *observe.World) {
		for _, c := range changes {
			c(w)
		}
	}
}

const (
	ns      = " --namespace tsunaro-system"
	anyNode = "mkey:1111111111111111111111111111111111111111111111111111111111111111"
)

func TestTruthTable(t *testing.T) {
	rows := 0
	for name, table := range map[string][]row{
		"scope": scopeRows, "inventory": inventoryRows, "bootstrap": bootstrapRows,
		"restart": restartRows, "complete": completeRows, "runtime": runtimeRows,
	} {
		for _, r := range table {
			rows++
			t.Run(name+"/"+string(r.stage)+"/"+r.why, func(t *testing.T) {
				w := at(t, r.stage)
				r.change(&w)
				v := verdict.Decide(w)
				said := strings.TrimSpace(v.Values["object"] + " " + v.Values["path"])
				if rule := v.Values["rule"]; rule != "" {
					said += " " + rule
				}
				if v.Step.Do != r.do || v.Reason != r.reason || said != r.object || v.Values["command"] != r.command {
					t.Errorf("%q %s, %q, %q\nwant %q %s, %q, %q", v.Step.Do, v.Reason, said, v.Values["command"], r.do, r.reason, r.object, r.command)
				}
				spoken(t, v)
			})
		}
	}
	if rows < 150 {
		t.Errorf("%d rows", rows)
	}
}

// spoken sees to it that the reason is in the table, and its text has all that it
// needs.
//
// REQ: ST-03, ST-09
func spoken(t *testing.T, v verdict.Verdict) {
	t.Helper()
	c, ok := api.FindCondition("TailnetGateway", "Ready", v.Reason)
	if text := c.Message(v.Values); !ok || strings.ContainsAny(text, "{}") {
		t.Fatalf("%s says %q", v.Reason, text)
	}
	for name := range v.Values {
		if api.Parameters[name] == "" {
			t.Fatalf("%s has a value for %q", v.Reason, name)
		}
	}
}

func nothing(*observe.World) {}

func forget(w *observe.World) { w.Attempt = observe.Attempt{} }

func nobody() (n observe.Nine) {
	for i := range n {
		n[i] = observe.Absent[observe.Member]()
	}
	return n
}
