package verdict_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/model"
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

// Who decides at all, and about what.
var scopeRows = []row{
	// REQ: LC-21
	{"an entry of another UID goes first", verdict.CreateState, func(w *observe.World) {
		w.Registry = observe.Known(observe.Registry{Revision: "9", Data: map[string]string{"lab_gw_gateway_uid": uid(50), "lab_gw_state_uid": uid(51), "lab_gw_phase": "open", "other_gateway_uid": uid(52)}})
	}, verdict.RemoveForeignEntry, "Provisioning", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"also half of one", verdict.CreateState, func(w *observe.World) {
		w.Registry = observe.Known(observe.Registry{Revision: "9", Data: map[string]string{"lab_gw_gateway_uid": uid(50)}})
	}, verdict.RemoveForeignEntry, "Provisioning", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"also of a completed gateway", ready, recreate, verdict.RemoveForeignEntry, "Provisioning", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"also while suspended", ready, all(recreate, suspend), verdict.RemoveForeignEntry, "Suspended", "", ""},
	{"also of a gateway whose Tailnet is another minter's", verdict.SwapMinting, all(recreate, func(w *observe.World) { w.Namespace = "elsewhere" }), verdict.RemoveForeignEntry, "Provisioning", "ConfigMap/elsewhere/tsunaro-bindings", ""},
	{"a re-created gateway never inherits the state", verdict.SwapMinting, all(recreate, func(w *observe.World) { w.Registry = observe.Absent[observe.Registry]() }), verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state metadata.labels[tsunaro.io/gateway-uid]", "kubectl delete secret lab-gw-state" + ns},
	{"nor the receipt", restored, recreate, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh metadata.labels[tsunaro.io/gateway-uid]", "kubectl delete configmap lab-gw-fresh" + ns},

	// REQ: LC-02, LC-03, TD-01, TD-05
	{"suspended: nothing is written", verdict.CreateState, suspend, verdict.None, "Suspended", "", ""},
	{"no value is suspended", verdict.CreateState, func(w *observe.World) { g, _ := w.Gateway.Get(); g.Spec.Suspend = nil }, verdict.None, "Suspended", "", ""},
	{"suspended, and nothing else was read", verdict.Mint, all(suspend, func(w *observe.World) { *w = observe.World{Now: w.Now, Namespace: w.Namespace, Gateway: w.Gateway} }), verdict.None, "Suspended", "", ""},
	{"suspended keeps a finalizer with consent", ready, all(suspend, finalize, consent), verdict.None, "Suspended", "", ""},
	{"suspended drops it without", ready, all(suspend, finalize), verdict.RemoveFinalizer, "Suspended", "", ""},
	{"suspended drops it when it is deleted", ready, all(suspend, finalize, consent, terminate), verdict.RemoveFinalizer, "Suspended", "", ""},
	{"suspended sets none", ready, all(suspend, consent), verdict.None, "Suspended", "", ""},
	{"consent sets the finalizer, Ready stays", ready, consent, verdict.AddFinalizer, "FreshRuntimeReady", "", ""},
	{"before anything is created", verdict.CreateState, consent, verdict.AddFinalizer, "Provisioning", "Secret/tsunaro-system/lab-gw-state", ""},
	{"once", ready, all(consent, finalize), verdict.None, "FreshRuntimeReady", "", ""},
	{"Retain removes it, Ready stays", ready, finalize, verdict.RemoveFinalizer, "FreshRuntimeReady", "", ""},
	{"also while terminating", ready, all(finalize, terminate), verdict.RemoveFinalizer, "Deleting", "TailnetGateway/lab-gw", ""},
	{"also without its Tailnet", ready, all(finalize, terminate, func(w *observe.World) { w.Tailnet = observe.Absent[*v1Tailnet]() }), verdict.RemoveFinalizer, "Deleting", "TailnetGateway/lab-gw", ""},
	{"with consent the teardown takes over", ready, all(finalize, terminate, consent), verdict.None, "Deleting", "TailnetGateway/lab-gw", ""},
	{"a terminating gateway gets no finalizer", ready, all(terminate, consent), verdict.None, "Deleting", "TailnetGateway/lab-gw", ""},
	{"and nothing new", verdict.Mint, terminate, verdict.None, "Deleting", "TailnetGateway/lab-gw", ""},

	{"a missing Tailnet", verdict.CreateState, func(w *observe.World) { w.Tailnet = observe.Absent[*v1Tailnet]() }, verdict.None, "TailnetMissing", "Tailnet/home", ""},
	{"also of a completed gateway", ready, func(w *observe.World) { w.Tailnet = observe.Absent[*v1Tailnet]() }, verdict.None, "TailnetMissing", "Tailnet/home", ""},
	// REQ: LC-06
	{"an unknown Tailnet", ready, func(w *observe.World) { w.Tailnet = observe.Unknown[*v1Tailnet](observe.Denied) }, verdict.None, "EvidenceUnavailable", "Tailnet/home", ""},
	{"an unknown registry", verdict.CreateState, func(w *observe.World) { w.Registry = observe.Unknown[observe.Registry](observe.Unreachable) }, verdict.None, "EvidenceUnavailable", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	// REQ: RN-11
	{"a format of the future", ready, func(w *observe.World) { g, _ := w.Gateway.Get(); g.Spec.RenderFormat = 2 }, verdict.None, "FormatUnknown", "", ""},
}

// What a bootstrap starts from, and its inventory.
var inventoryRows = []row{
	// REQ: LC-07, ST-09
	{"a refused spec", verdict.CreateState, func(w *observe.World) {
		w.Render = observe.Known(renderOf(t0, strings.Replace(gatewayText, "loadBalancerIP: 10.99.0.53", "loadBalancerIP: 10.98.0.53", 1), tailnetText, hostsText))
	}, verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.loadBalancerIP lb-in-cidr", ""},
	{"adoption", verdict.CreateState, func(w *observe.World) {
		w.Render = observe.Known(renderOf(t0, gatewayText+"  adoption: {nodeId: \"7\", objects: [{apiVersion: apps/v1, kind: StatefulSet, name: lab-gw, uid: "+uid(1)+"}, {apiVersion: v1, kind: Secret, name: lab-gw-state, uid: "+uid(2)+"}]}\n", tailnetText, hostsText))
	}, verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.adoption adoption-unsupported", ""},
	{"a bad line of hosts", verdict.CreateState, func(w *observe.World) {
		w.Render = observe.Known(renderOf(t0, gatewayText, tailnetText, strings.Replace(hostsText, "192.168.10.7 app", "192.168.10.7x app", 1)))
	}, verdict.None, "HostsRefused", "ConfigMap/tsunaro-system/tailnet-dns-hosts data.hosts:1 hosts-address", ""},
	// REQ: DL-08
	{"hosts of another Tailnet", verdict.CreateState, func(w *observe.World) {
		w.Render = observe.Known(renderOf(t0, gatewayText, tailnetText, strings.Replace(hostsText, "tailnet: home", "tailnet: away", 1)))
	}, verdict.None, "HostsRefused", "ConfigMap/tsunaro-system/tailnet-dns-hosts metadata.labels[tsunaro.io/tailnet] hosts-owner", ""},
	{"hosts without the key", verdict.CreateState, func(w *observe.World) {
		w.Render = observe.Known(renderOf(t0, gatewayText, tailnetText, strings.Replace(hostsText, "{hosts:", "{host:", 1)))
	}, verdict.None, "HostsMissing", "ConfigMap/tsunaro-system/tailnet-dns-hosts", ""},
	{"no hosts", verdict.CreateState, func(w *observe.World) { w.Hosts = observe.Absent[observe.Object]() }, verdict.None, "HostsMissing", "ConfigMap/tsunaro-system/tailnet-dns-hosts", ""},
	{"unknown hosts", verdict.CreateState, func(w *observe.World) { w.Hosts = observe.Unknown[observe.Object](observe.Denied) }, verdict.None, "EvidenceUnavailable", "ConfigMap/tsunaro-system/tailnet-dns-hosts", ""},
	{"unknown egresses", verdict.CreateState, func(w *observe.World) { w.Render = observe.Unknown[observe.Render](observe.Denied) }, verdict.None, "EvidenceUnavailable", "TailnetEgress/tsunaro-system", ""},
	{"no key", verdict.CreateState, func(w *observe.World) { w.APIKey = observe.Absent[observe.Accepted]() }, verdict.None, "APIKeyMissing", "Tailnet/home", ""},
	{"an unknown key", verdict.CreateState, func(w *observe.World) { w.APIKey = observe.Unknown[observe.Accepted](observe.Unreachable) }, verdict.None, "EvidenceUnavailable", "Headscale/home", ""},

	// REQ: LC-19
	{"a peer with the same hostname", verdict.CreateState, peer("name: lab-gw}", "name: a-gw}", "tailnetRef", "hostname: lab-gw\n  tailnetRef"), verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.hostname hostname-conflict", ""},
	{"whatever their order", verdict.CreateState, peer("name: lab-gw}", "name: z-gw}", "tailnetRef", "hostname: lab-gw\n  tailnetRef"), verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.hostname hostname-conflict", ""},
	{"a peer with the same address", verdict.CreateState, peer("name: lab-gw}", "name: z-gw}", "lab.example", "z.example", "lab-dns", "z-dns", "10.96.0.53", "10.96.0.54"), verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.loadBalancerIP address-conflict", ""},
	{"a peer that overlaps a route alone", verdict.CreateState, peer("name: lab-gw}", "name: z-gw}", "lab.example", "z.example", "lab-dns", "z-dns", "10.96.0.53", "10.96.0.54", "10.99.0.53", "10.99.0.54"), verdict.CreateState, "Provisioning", "Secret/tsunaro-system/lab-gw-state", ""},
	{"a peer that came before the mint", verdict.Mint, peer("name: lab-gw}", "name: z-gw}", "tailnetRef", "hostname: lab-gw\n  tailnetRef"), verdict.None, "SpecRefused", "TailnetGateway/lab-gw spec.hostname hostname-conflict", ""},
	{"a peer that came after it", verdict.CreateAuth, peer("name: lab-gw}", "name: z-gw}", "tailnetRef", "hostname: lab-gw\n  tailnetRef"), verdict.CreateAuth, "Provisioning", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"a completed gateway keeps what it has", ready, peer("name: lab-gw}", "name: z-gw}", "tailnetRef", "hostname: lab-gw\n  tailnetRef"), verdict.None, "FreshRuntimeReady", "", ""},
	{"a node of the wanted name", verdict.CreateState, nodeNamed("lab-gw", "lab-gw"), verdict.None, "FreshBlocked", "HeadscaleNode/4", "headscale nodes delete --identifier 4"},
	{"one that holds only the given name", verdict.CreateState, nodeNamed("other", "lab-gw"), verdict.None, "FreshBlocked", "HeadscaleNode/4", "headscale nodes delete --identifier 4"},
	{"one that came before the mint", verdict.Mint, nodeNamed("lab-gw", "lab-gw-1"), verdict.None, "FreshBlocked", "HeadscaleNode/4", "headscale nodes delete --identifier 4"},
	{"another node", verdict.CreateState, nodeNamed("lab-gw-2", "lab-gw-2"), verdict.CreateState, "Provisioning", "Secret/tsunaro-system/lab-gw-state", ""},
	{"unknown nodes", verdict.CreateState, func(w *observe.World) { w.Nodes = observe.Unknown[[]node.Node](observe.Unreachable) }, verdict.None, "EvidenceUnavailable", "Headscale/home", ""},
	{"unknown peers", verdict.CreateState, func(w *observe.World) { w.Peers = observe.Unknown[[]model.Inputs](observe.Denied) }, verdict.None, "EvidenceUnavailable", "TailnetGateway", ""},

	// REQ: LC-10, LC-11
	{"one of the nine is there already", verdict.CreateState, func(w *observe.World) {
		w.Nine[4] = observe.Known(observe.Member{UID: uid(60)})
	}, verdict.None, "FreshBlocked", "Service/tsunaro-system/lab-gw", "kubectl delete service lab-gw" + ns},
	{"and is just going", verdict.CreateState, func(w *observe.World) {
		w.Nine[5] = observe.Known(observe.Member{UID: uid(60), Deleting: true})
	}, verdict.None, "Provisioning", "Service/tsunaro-system/lab-dns", ""},
	{"a Pod of its name", verdict.CreateState, func(w *observe.World) { w.Pods = observe.Known([]observe.Pod{{Name: "lab-gw-0"}}) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"a Pod with its label", verdict.CreateState, func(w *observe.World) { w.Pods = observe.Known([]observe.Pod{{Name: "spy"}}) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/spy", "kubectl delete pod spy" + ns},
	{"a Pod that is just going", verdict.CreateState, func(w *observe.World) {
		w.Pods = observe.Known([]observe.Pod{{Name: "lab-gw-0", Deleting: true}})
	}, verdict.None, "Provisioning", "Pod/tsunaro-system/lab-gw-0", ""},
	{"an auth Secret", verdict.CreateState, func(w *observe.World) { w.Auth = observe.Known(observe.Object{UID: uid(60)}) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"an auth receipt", verdict.CreateState, func(w *observe.World) { w.AuthReceipt = observe.Known(observe.AuthRecord{}) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"a staged receipt", verdict.CreateState, func(w *observe.World) { w.FreshNext = observe.Known(observe.Object{}) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh-next", "kubectl delete configmap lab-gw-fresh-next" + ns},
	{"a completion receipt of nobody", verdict.CreateState, func(w *observe.World) {
		w.Fresh = observe.Known(observe.Completion{Err: receipt.ErrCompletion})
	}, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh metadata.labels[tsunaro.io/gateway-uid]", "kubectl delete configmap lab-gw-fresh" + ns},
	{"one of ours that cannot be read", verdict.SwapComplete, func(w *observe.World) {
		edit(&w.Fresh, func(c *observe.Completion) { c.Err, c.Receipt = receipt.ErrCompletion, receipt.Completion{} })
	}, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh data[receipt.json]", ""},
	{"a broken entry", open, func(w *observe.World) { entry(w, "phase", "opened") }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/tsunaro-bindings data.lab_gw_phase", "kubectl delete configmap tsunaro-bindings" + ns},
}

func peer(pairs ...string) func(*observe.World) {
	return func(w *observe.World) {
		r := renderOf(t0, strings.NewReplacer(pairs...).Replace(gatewayText), tailnetText, "")
		w.Peers = observe.Known([]model.Inputs{r.Gateway.Inputs})
	}
}

func nodeNamed(name, given string) func(*observe.World) {
	return func(w *observe.World) {
		w.Nodes = observe.Known([]node.Node{{ID: "4", Name: name, GivenName: given, MachineKey: anyNode}})
	}
}

// From the open entry to the completion receipt.
var bootstrapRows = []row{
	{"nothing applied yet", open, nothing, verdict.None, "AwaitingResources", "", ""},
	// REQ: LC-08 (B26)
	{"a state Secret that holds something", open, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Filled }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state data", "kubectl delete secret lab-gw-state" + ns},
	{"something foreign", open, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Foreign }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state data", "kubectl delete secret lab-gw-state" + ns},
	{"that nobody can write to", open, func(w *observe.World) {
		edit(&w.State, func(s *observe.State) { s.Content, s.Immutable = proof.Foreign, true })
	}, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state immutable", "kubectl delete secret lab-gw-state" + ns},
	{"that is being deleted", open, func(w *observe.World) {
		edit(&w.State, func(s *observe.State) { s.Content, s.Deleting = proof.Foreign, true })
	}, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state metadata.deletionTimestamp", "kubectl delete secret lab-gw-state" + ns},

	// REQ: LC-16
	{"one missing", verdict.SwapMinting, func(w *observe.World) { w.Nine[7] = observe.Absent[observe.Member]() }, verdict.None, "Provisioning", "PodDisruptionBudget/tsunaro-system/lab-gw", ""},
	{"the engine is behind", verdict.SwapMinting, func(w *observe.World) {
		member(w, 8, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.Behind, "spec.x" })
	}, verdict.None, "Provisioning", "StatefulSet/tsunaro-system/lab-gw", ""},
	{"a wrong UID", verdict.SwapMinting, func(w *observe.World) {
		member(w, 0, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.WrongUID, "metadata.labels[x]" })
	}, verdict.None, "FreshBlocked", "ServiceAccount/tsunaro-system/lab-gw metadata.labels[x]", "kubectl delete serviceaccount lab-gw" + ns},
	{"older than the state", verdict.SwapMinting, func(w *observe.World) {
		member(w, 1, func(m *observe.Member) {
			m.Result.State, m.Result.Path = verify.Older, "metadata.creationTimestamp"
		})
	}, verdict.None, "FreshBlocked", "Role/tsunaro-system/lab-gw metadata.creationTimestamp", "kubectl delete role lab-gw" + ns},
	{"different, whatever else is missing", verdict.SwapMinting, func(w *observe.World) {
		w.Nine[0] = observe.Absent[observe.Member]()
		member(w, 6, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.Different, "spec.type" })
	}, verdict.None, "FreshBlocked", "Service/tsunaro-system/lab-gw-lb spec.type", "kubectl delete service lab-gw-lb" + ns},
	{"on its way out", verdict.SwapMinting, func(w *observe.World) { member(w, 2, func(m *observe.Member) { m.Deleting = true }) }, verdict.None, "Provisioning", "RoleBinding/tsunaro-system/lab-gw", ""},
	{"not compared", verdict.SwapMinting, func(w *observe.World) { member(w, 2, func(m *observe.Member) { m.Result.State = 0 }) }, verdict.None, "FreshBlocked", "RoleBinding/tsunaro-system/lab-gw", "kubectl delete rolebinding lab-gw" + ns},
	{"unknown", verdict.SwapMinting, func(w *observe.World) { w.Nine[3] = observe.Unknown[observe.Member](observe.Denied) }, verdict.None, "EvidenceUnavailable", "ConfigMap/tsunaro-system/lab-gw-coredns", ""},

	// REQ: LC-11
	{"no Pod yet", verdict.SwapMinting, func(w *observe.World) { w.Pods = observe.Known([]observe.Pod(nil)) }, verdict.None, "Provisioning", "Pod/tsunaro-system/lab-gw-0", ""},
	{"a second Pod", verdict.SwapMinting, func(w *observe.World) {
		edit(&w.Pods, func(p *[]observe.Pod) { *p = append(slices.Clone(*p), observe.Pod{Name: "spy", Owner: (*p)[0].Owner}) })
	}, verdict.None, "FreshBlocked", "Pod/tsunaro-system/spy", "kubectl delete pod spy" + ns},
	{"a Pod of another StatefulSet", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Owner = uid(70) }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"a Pod with the UID of another state", verdict.SwapMinting, func(w *observe.World) {
		pod(w, func(p *observe.Pod) { p.Labels = map[string]string{api.LabelGatewayUID: p.Labels[api.LabelGatewayUID]} })
	}, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"with another account", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.ServiceAccount = "default" }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"whose Tailscale has started", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Tailscale = observe.Started }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0 status.containerStatuses[tailscale]", "kubectl delete pod lab-gw-0" + ns},
	{"whose check fails", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Preflight = observe.Failed }) }, verdict.None, "RuntimeNotReady", "", ""},
	{"whose check runs", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Preflight = observe.Pending }) }, verdict.None, "Provisioning", "Pod/tsunaro-system/lab-gw-0", ""},
	{"of which the kubelet says nothing", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Tailscale = observe.Unreported }) }, verdict.None, "Provisioning", "Pod/tsunaro-system/lab-gw-0", ""},
	{"that is going", verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Deleting = true }) }, verdict.None, "Provisioning", "Pod/tsunaro-system/lab-gw-0", ""},
	{"the Pod is looked at again before the mint", verdict.Mint, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Owner = uid(70) }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"and before the Secret that it waits for", verdict.CreateAuth, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Owner = uid(70) }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"and so are the nine", verdict.Mint, func(w *observe.World) {
		member(w, 8, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.Different, "spec.x" })
	}, verdict.None, "FreshBlocked", "StatefulSet/tsunaro-system/lab-gw spec.x", "kubectl delete statefulset lab-gw" + ns},

	// REQ: LC-09, LC-12, MT-04
	{"another process's mint", unasked, nothing, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"asked already", verdict.Mint, func(w *observe.World) { w.Attempt.Minting.Asked = true }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"an entry that was swapped by somebody else", verdict.Mint, func(w *observe.World) { entry(w, "mint_expires", "2026-11-30T12:00:01Z") }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"the gateway has changed", verdict.Mint, func(w *observe.World) { g, _ := w.Gateway.Get(); g.Generation++ }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"status and metadata of it have", verdict.Mint, func(w *observe.World) { g, _ := w.Gateway.Get(); g.ResourceVersion = "777" }, verdict.Mint, "Provisioning", "Tailnet/home", ""},
	{"the Tailnet has changed", verdict.CreateAuth, func(w *observe.World) { tn, _ := w.Tailnet.Get(); tn.Spec.APIURL = "https://other.example" }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"between key and record", verdict.CreateAuthReceipt, func(w *observe.World) { g, _ := w.Gateway.Get(); g.Generation++ }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"between record and completion", verdict.CreateFresh, func(w *observe.World) { g, _ := w.Gateway.Get(); g.Generation++ }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt gateway", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"of the Tailnet", verdict.CreateFresh, func(w *observe.World) { tn, _ := w.Tailnet.Get(); tn.Generation++ }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt tailnet", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"the state was filled without a key", verdict.Mint, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Filled }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state data", "kubectl delete secret lab-gw-state" + ns},
	{"another state Secret", verdict.Mint, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.UID = uid(71) }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state", ""},
	{"no state Secret", verdict.Mint, func(w *observe.World) { w.State = observe.Absent[observe.State]() }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state", ""},
	{"no state Secret, and the entry is open", open, func(w *observe.World) { w.State = observe.Absent[observe.State]() }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"another state Secret, and the entry is open", open, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.UID = uid(71) }) }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"a late minter's key is not used twice", expired, func(w *observe.World) { w.Auth = observe.Known(observe.Object{UID: uid(72), Revision: "1"}) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},

	// REQ: MT-02, MT-03, MT-04, MT-07
	{"a Secret of the name, not of our answer", verdict.CreateAuth, func(w *observe.World) { w.Auth = observe.Known(observe.Object{UID: uid(72), Revision: "1"}) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"the Secret's metadata were edited", verdict.CreateAuthReceipt, func(w *observe.World) { edit(&w.Auth, func(o *observe.Object) { o.Revision = "777" }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"a Secret whose maker is no more", verdict.CreateAuthReceipt, forget, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"a recorded one whose maker is no more", verdict.CreateFresh, forget, verdict.CreateFresh, "Provisioning", "ConfigMap/tsunaro-system/lab-gw-fresh", ""},
	{"a record that cannot be read", verdict.CreateFresh, func(w *observe.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Err = receipt.ErrAuth }) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt data[receipt.json]", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"without our label", verdict.CreateFresh, func(w *observe.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Labels = nil }) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt metadata.labels[tsunaro.io/gateway-uid]", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"that can be changed", verdict.CreateFresh, func(w *observe.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Immutable = false }) }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt immutable", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"of another expiry than the entry's", verdict.CreateFresh, func(w *observe.World) { entry(w, "mint_expires", "2026-11-30T12:00:01Z") }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt key.expires", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"of another Secret", verdict.CreateFresh, func(w *observe.World) { edit(&w.Auth, func(o *observe.Object) { o.UID = uid(72) }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth metadata.resourceVersion", "kubectl delete secret lab-gw-auth" + ns},
	{"whose Secret is gone", verdict.CreateFresh, func(w *observe.World) { w.Auth = observe.Absent[observe.Object]() }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt", "kubectl delete configmap lab-gw-auth-receipt" + ns},
	{"whose key has expired", verdict.CreateFresh, func(w *observe.World) { w.Now = start.Add(24 * time.Hour) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth metadata.annotations[tsunaro.io/key-expires]", "kubectl delete secret lab-gw-auth" + ns},
	{"the node has registered meanwhile", verdict.CreateFresh, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Filled }) }, verdict.CreateFresh, "Provisioning", "ConfigMap/tsunaro-system/lab-gw-fresh", ""},
	{"one of the nine changed at the last moment", verdict.CreateFresh, func(w *observe.World) {
		member(w, 8, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.Different, "spec.x" })
	}, verdict.None, "FreshBlocked", "StatefulSet/tsunaro-system/lab-gw spec.x", ""},
	{"or went", verdict.CreateFresh, func(w *observe.World) { w.Nine[2] = observe.Absent[observe.Member]() }, verdict.None, "FreshBlocked", "RoleBinding/tsunaro-system/lab-gw", ""},
	{"or the engine is behind", verdict.CreateFresh, func(w *observe.World) { member(w, 8, func(m *observe.Member) { m.Result.State = verify.Behind }) }, verdict.None, "Provisioning", "StatefulSet/tsunaro-system/lab-gw", ""},
	// REQ: LC-20
	{"complete, and the receipt is lost", ready, func(w *observe.World) { w.Fresh = observe.Absent[observe.Completion]() }, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh", ""},
	{"and so is the state", ready, func(w *observe.World) {
		w.Fresh, w.State = observe.Absent[observe.Completion](), observe.Absent[observe.State]()
		w.Auth, w.AuthReceipt = observe.Absent[observe.Object](), observe.Absent[observe.AuthRecord]()
	}, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-fresh", ""},
}

// The safe restart.
//
// REQ: LC-22
var restartRows = []row{
	{"an attempt of nobody", unnamed, nothing, verdict.DeleteState, "Restarting", "Secret/tsunaro-system/lab-gw-state", ""},
	{"its maker may still be there", unnamed, func(w *observe.World) { w.Now = start.Add(29 * time.Second) }, verdict.None, "Restarting", "Secret/tsunaro-system/lab-gw-state", ""},
	{"its maker is here", verdict.OpenEntry, func(w *observe.World) { w.Now = start.Add(time.Hour) }, verdict.OpenEntry, "Provisioning", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"its maker made it for another gateway", verdict.OpenEntry, func(w *observe.World) { w.Now, w.Attempt.GatewayUID = start.Add(time.Hour), uid(73) }, verdict.DeleteState, "Restarting", "Secret/tsunaro-system/lab-gw-state", ""},
	{"a state that was used", unnamed, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Filled }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state data", "kubectl delete secret lab-gw-state" + ns},
	{"a key beside it", unnamed, func(w *observe.World) { w.Auth = observe.Known(observe.Object{}) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", "kubectl delete secret lab-gw-auth" + ns},
	{"an object under one of its names", unnamed, func(w *observe.World) {
		w.Nine[3] = observe.Known(observe.Member{UID: uid(60), Result: verify.Result{State: verify.WrongUID, Path: "metadata.labels[x]"}})
	}, verdict.None, "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-coredns metadata.labels[x]", "kubectl delete configmap lab-gw-coredns" + ns},
	{"the key has expired", expired, nothing, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"a second earlier", expired, func(w *observe.World) { w.Now = w.Now.Add(-time.Second) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"with the process that asked for it, too", verdict.Mint, func(w *observe.World) { w.Now = w.Now.Add(24 * time.Hour) }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"and with what it got", verdict.CreateAuth, func(w *observe.World) { w.Now = w.Now.Add(24 * time.Hour) }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"the state was used", expired, func(w *observe.World) { edit(&w.State, func(s *observe.State) { s.Content = proof.Filled }) }, verdict.None, "FreshBlocked", "Secret/tsunaro-system/lab-gw-state data", "kubectl delete secret lab-gw-state" + ns},
	{"Tailscale has run", expired, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Tailscale = observe.Started }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0 status.containerStatuses[tailscale]", "kubectl delete pod lab-gw-0" + ns},
	{"also in a Pod that is going", expired, func(w *observe.World) {
		pod(w, func(p *observe.Pod) { p.Tailscale, p.Deleting = observe.Started, true })
	}, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0 status.containerStatuses[tailscale]", "kubectl delete pod lab-gw-0" + ns},
	{"a Pod that nobody scheduled", expired, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Tailscale = observe.Unreported }) }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"somebody else's Pod", expired, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Owner = uid(74) }) }, verdict.None, "FreshBlocked", "Pod/tsunaro-system/lab-gw-0", "kubectl delete pod lab-gw-0" + ns},
	{"one of the nine is another", expired, func(w *observe.World) {
		member(w, 1, func(m *observe.Member) { m.Result.State, m.Result.Path = verify.Different, "rules" })
	}, verdict.None, "FreshBlocked", "Role/tsunaro-system/lab-gw rules", "kubectl delete role lab-gw" + ns},
	{"or older", expired, func(w *observe.World) { member(w, 1, func(m *observe.Member) { m.Result.State = verify.Older }) }, verdict.None, "FreshBlocked", "Role/tsunaro-system/lab-gw", "kubectl delete role lab-gw" + ns},
	{"the engine is behind", expired, func(w *observe.World) { member(w, 8, func(m *observe.Member) { m.Result.State = verify.Behind }) }, verdict.CloseEntry, "Restarting", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"unknown Pods", expired, func(w *observe.World) { w.Pods = observe.Unknown[[]observe.Pod](observe.Denied) }, verdict.None, "EvidenceUnavailable", "Pod/tsunaro-system/lab-gw-0", ""},
	{"the StatefulSet first", closed, nothing, verdict.DeleteObject, "Restarting", "StatefulSet/tsunaro-system/lab-gw", ""},
	{"then its Pod is awaited", closed, func(w *observe.World) { w.Nine[8] = observe.Absent[observe.Member]() }, verdict.None, "Restarting", "Pod/tsunaro-system/lab-gw-0", ""},
	{"a StatefulSet that is going", closed, func(w *observe.World) { member(w, 8, func(m *observe.Member) { m.Deleting = true }) }, verdict.None, "Restarting", "StatefulSet/tsunaro-system/lab-gw", ""},
	{"then the others", closed, func(w *observe.World) {
		w.Nine[8], w.Pods = observe.Absent[observe.Member](), observe.Known([]observe.Pod(nil))
	}, verdict.DeleteObject, "Restarting", "PodDisruptionBudget/tsunaro-system/lab-gw", ""},
	{"the state last", closed, func(w *observe.World) { w.Nine, w.Pods = nobody(), observe.Known([]observe.Pod(nil)) }, verdict.DeleteState, "Restarting", "Secret/tsunaro-system/lab-gw-state", ""},
	{"suspended meanwhile", closed, suspend, verdict.None, "Suspended", "", ""},
}

func nothing(*observe.World) {}

func forget(w *observe.World) { w.Attempt = observe.Attempt{} }

func nobody() (n observe.Nine) {
	for i := range n {
		n[i] = observe.Absent[observe.Member]()
	}
	return n
}
