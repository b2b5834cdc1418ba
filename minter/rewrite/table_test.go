package rewrite_test

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/rewrite"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Steps by their letter, for the table below.
const (
	stage, remove, promote, drop = rewrite.StageReceipt, rewrite.DeleteReceipt, rewrite.PromoteReceipt, rewrite.DropStage

	ns      = " --namespace tsunaro-system"
	content = " data[receipt.json]"
)

// row is one line of the truth table: what happens to a world before a step, and
// what is said then; nothing is said where package verdict decides.
type row struct {
	why     string
	at      []verdict.Action
	change  func(*rewrite.World)
	do      verdict.Action
	reason  string
	said    string // object and path
	command string
}

var (
	before   = []verdict.Action{stage, remove}
	all      = []verdict.Action{stage, remove, promote}
	everyone = []verdict.Action{stage, remove, promote, drop}
)

func fresh(change func(*observe.Completion)) func(*rewrite.World) {
	return func(w *rewrite.World) { edit(&w.Fresh, change) }
}

func next(change func(*observe.Completion)) func(*rewrite.World) {
	return func(w *rewrite.World) { edit(&w.Stage, change) }
}

func member(i int, change func(*observe.Member)) func(*rewrite.World) {
	return func(w *rewrite.World) { edit(&w.Nine[i], change) }
}

// REQ: LC-17
var rows = []row{
	{"a receipt of today", nil, func(*rewrite.World) {}, "", "", "", ""},
	{"staged", []verdict.Action{stage}, func(*rewrite.World) {}, stage, "Provisioning", stageName, ""},
	{"removed", []verdict.Action{remove}, func(*rewrite.World) {}, remove, "Provisioning", freshName, ""},
	{"promoted", []verdict.Action{promote}, func(*rewrite.World) {}, promote, "Provisioning", freshName, ""},
	{"dropped", []verdict.Action{drop}, func(*rewrite.World) {}, drop, "Provisioning", stageName, ""},

	// Whose it is, and whether it is in service.
	{"suspended", everyone, func(w *rewrite.World) { gatewayIn(w).Spec.Suspend = nil }, "", "", "", ""},
	{"on its way out", everyone, func(w *rewrite.World) { gatewayIn(w).DeletionTimestamp = &metav1.Time{} }, "", "", "", ""},
	{"another minter's", everyone, func(w *rewrite.World) { tailnetIn(w).Spec.OperatorNamespace = "other" }, "", "", "", ""},
	{"without a Tailnet", everyone, func(w *rewrite.World) { w.Tailnet = observe.Absent[*v1alpha1.Tailnet]() }, "", "", "", ""},
	{"no gateway", everyone, func(w *rewrite.World) { w.Gateway = observe.Absent[*v1alpha1.TailnetGateway]() }, "", "", "", ""},

	// The receipt.
	{"unknown", everyone, func(w *rewrite.World) { w.Fresh = observe.Unknown[observe.Completion](observe.Denied) }, "", "", "", ""},
	{"of a former format", before, fresh(func(c *observe.Completion) { c.Err, c.Receipt = receipt.ErrFormerFormat, receipt.Completion{} }), "", "", "", ""},
	{"under a rule of the future", before, fresh(func(c *observe.Completion) { c.Err, c.Receipt = receipt.ErrUnknownRule, receipt.Completion{} }), "", "", "", ""},
	{"somebody else's", before, fresh(func(c *observe.Completion) { c.Labels = nil }), "", "", "", ""},
	{"to be changed", before, fresh(func(c *observe.Completion) { c.Immutable = false }), "", "", "", ""},
	{"about another gateway", before, fresh(func(c *observe.Completion) { c.Receipt.Gateway.UID = uid(9) }), "", "", "", ""},
	{"of another name", before, fresh(func(c *observe.Completion) { c.Receipt.Gateway.Name = "other" }), "", "", "", ""},
	{"that somebody deletes", []verdict.Action{stage}, fresh(func(c *observe.Completion) { c.Deleting = true }), "", "", "", ""},
	{"that is being deleted for the next one", []verdict.Action{remove}, fresh(func(c *observe.Completion) { c.Deleting = true }), "", "Provisioning", freshName, ""},

	// The stage. As long as the receipt is there another one is in the way; when it
	// is gone nobody is told to remove what may be the last.
	{"an unknown stage", all, func(w *rewrite.World) { w.Stage = observe.Unknown[observe.Completion](observe.Denied) }, "", "EvidenceUnavailable", stageName, ""},
	{"an unknown stage beside a receipt of today", []verdict.Action{drop}, func(w *rewrite.World) { w.Stage = observe.Unknown[observe.Completion](observe.Denied) }, "", "", "", ""},
	{"a stranger's", []verdict.Action{remove}, next(func(c *observe.Completion) { c.Labels = nil }), "", "FreshBlocked", stageName + " metadata.labels[tsunaro.io/gateway-uid]", "kubectl delete configmap lab-gw-fresh-next" + ns},
	{"a stranger's alone", []verdict.Action{promote}, next(func(c *observe.Completion) { c.Labels = nil }), "", "", "", ""},
	{"a stranger's beside a receipt of today", []verdict.Action{drop}, next(func(c *observe.Completion) { c.Labels = nil }), "", "", "", ""},
	{"another", []verdict.Action{remove}, next(func(c *observe.Completion) { c.Receipt.KeyID = "6" }), "", "FreshBlocked", stageName + content, "kubectl delete configmap lab-gw-fresh-next" + ns},
	{"another beside a receipt of today", []verdict.Action{drop}, next(func(c *observe.Completion) { c.Receipt.KeyID = "6" }), "", "", "", ""},
	{"of another scope", []verdict.Action{remove}, next(func(c *observe.Completion) { c.Receipt.Gateway.UID = uid(9) }), "", "FreshBlocked", stageName + content, "kubectl delete configmap lab-gw-fresh-next" + ns},
	{"of another scope, alone", []verdict.Action{promote}, next(func(c *observe.Completion) { c.Receipt.Gateway.UID = uid(9) }), "", "FreshBlocked", stageName + content, ""},
	{"of another Tailnet, alone", []verdict.Action{promote}, next(func(c *observe.Completion) { c.Receipt.Tailnet.UID = uid(9) }), "", "FreshBlocked", "Tailnet/home metadata.uid", ""},
	{"illegible", []verdict.Action{remove}, next(func(c *observe.Completion) { c.Err = receipt.ErrCompletion }), "", "FreshBlocked", stageName + content, "kubectl delete configmap lab-gw-fresh-next" + ns},
	{"illegible, alone", []verdict.Action{promote}, next(func(c *observe.Completion) { c.Err = receipt.ErrCompletion }), "", "FreshBlocked", stageName + content, ""},
	{"to be changed, alone", []verdict.Action{promote}, next(func(c *observe.Completion) { c.Immutable = false }), "", "FreshBlocked", stageName + content, ""},
	{"under the former rule", []verdict.Action{remove}, next(func(c *observe.Completion) { c.Receipt.Rule = receipt.RuleV010 }), "", "FreshBlocked", stageName + content, "kubectl delete configmap lab-gw-fresh-next" + ns},
	{"under the former rule, alone", []verdict.Action{promote}, next(func(c *observe.Completion) { c.Receipt.Rule = receipt.RuleV010 }), "", "FreshBlocked", stageName + content, ""},
	{"going", []verdict.Action{remove}, next(func(c *observe.Completion) { c.Deleting = true }), "", "Provisioning", stageName, ""},
	{"going, alone", []verdict.Action{promote}, next(func(c *observe.Completion) { c.Deleting = true }), "", "FreshBlocked", stageName + " metadata.deletionTimestamp", ""},
	{"going, beside a receipt of today", []verdict.Action{drop}, next(func(c *observe.Completion) { c.Deleting = true }), "", "", "", ""},

	// Everything that the receipt is about.
	{"another Tailnet", all, func(w *rewrite.World) { tailnetIn(w).UID = "other" }, "", "FreshBlocked", "Tailnet/home metadata.uid", ""},
	{"an unknown registry", all, func(w *rewrite.World) { w.Registry = observe.Unknown[observe.Registry](observe.Denied) }, "", "EvidenceUnavailable", "ConfigMap/tsunaro-system/tsunaro-bindings", ""},
	{"a lost registry", []verdict.Action{promote}, func(w *rewrite.World) { w.Registry = observe.Absent[observe.Registry]() }, promote, "Provisioning", freshName, ""},
	{"an entry of another state", all, func(w *rewrite.World) {
		edit(&w.Registry, func(r *observe.Registry) { r.Data["lab_gw_state_uid"] = uid(9) })
	}, "", "FreshBlocked", "ConfigMap/tsunaro-system/tsunaro-bindings data.lab_gw_state_uid", ""},
	{"an entry of another gateway", all, func(w *rewrite.World) {
		edit(&w.Registry, func(r *observe.Registry) { r.Data["lab_gw_gateway_uid"] = uid(9) })
	}, "", "FreshBlocked", "ConfigMap/tsunaro-system/tsunaro-bindings data.lab_gw_state_uid", ""},
	{"unknown state", all, func(w *rewrite.World) { w.State = observe.Unknown[observe.State](observe.Denied) }, "", "EvidenceUnavailable", "Secret/tsunaro-system/lab-gw-state", ""},
	{"no state", all, func(w *rewrite.World) { w.State = observe.Absent[observe.State]() }, "", "FreshBlocked", "Secret/tsunaro-system/lab-gw-state metadata.uid", ""},
	{"another state", all, func(w *rewrite.World) { edit(&w.State, func(s *observe.State) { s.UID = uid(9) }) }, "", "FreshBlocked", "Secret/tsunaro-system/lab-gw-state metadata.uid", ""},
	{"a state that goes", all, func(w *rewrite.World) { edit(&w.State, func(s *observe.State) { s.Deleting = true }) }, "", "FreshBlocked", "Secret/tsunaro-system/lab-gw-state metadata.uid", ""},
	{"unknown auth receipt", all, func(w *rewrite.World) { w.AuthReceipt = observe.Unknown[observe.AuthRecord](observe.Denied) }, "", "EvidenceUnavailable", "ConfigMap/tsunaro-system/lab-gw-auth-receipt", ""},
	{"no auth receipt", all, func(w *rewrite.World) { w.AuthReceipt = observe.Absent[observe.AuthRecord]() }, "", "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt" + content, ""},
	{"another auth receipt", all, func(w *rewrite.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.UID = uid(9) }) }, "", "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt" + content, ""},
	{"of another key", all, func(w *rewrite.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Receipt.KeyID = "6" }) }, "", "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt" + content, ""},
	{"illegible auth receipt", all, func(w *rewrite.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Err = receipt.ErrAuth }) }, "", "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt" + content, ""},
	{"one that can be changed", all, func(w *rewrite.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Immutable = false }) }, "", "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt" + content, ""},
	{"one that goes", all, func(w *rewrite.World) { edit(&w.AuthReceipt, func(r *observe.AuthRecord) { r.Deleting = true }) }, "", "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-auth-receipt" + content, ""},
	{"unknown key", all, func(w *rewrite.World) { w.Auth = observe.Unknown[observe.Object](observe.Denied) }, "", "EvidenceUnavailable", "Secret/tsunaro-system/lab-gw-auth", ""},
	{"no key", all, func(w *rewrite.World) { w.Auth = observe.Absent[observe.Object]() }, "", "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth metadata.resourceVersion", ""},
	{"an edited key", all, func(w *rewrite.World) { edit(&w.Auth, func(o *observe.Object) { o.Revision = "40" }) }, "", "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth metadata.resourceVersion", ""},
	{"a key that goes", all, func(w *rewrite.World) { edit(&w.Auth, func(o *observe.Object) { o.Deleting = true }) }, "", "FreshBlocked", "Secret/tsunaro-system/lab-gw-auth metadata.resourceVersion", ""},
	{"one of the nine is unknown", all, func(w *rewrite.World) { w.Nine[4] = observe.Unknown[observe.Member](observe.Denied) }, "", "EvidenceUnavailable", "Service/tsunaro-system/lab-gw", ""},
	{"missing", all, func(w *rewrite.World) { w.Nine[4] = observe.Absent[observe.Member]() }, "", "FreshBlocked", "Service/tsunaro-system/lab-gw metadata.uid", ""},
	{"replaced", all, member(4, func(m *observe.Member) { m.UID = uid(9) }), "", "FreshBlocked", "Service/tsunaro-system/lab-gw metadata.uid", ""},
	{"going away", all, member(4, func(m *observe.Member) { m.Deleting = true }), "", "FreshBlocked", "Service/tsunaro-system/lab-gw metadata.deletionTimestamp", ""},
	{"without a digest", all, member(4, func(m *observe.Member) { m.Digest = "" }), "", "FreshBlocked", "Service/tsunaro-system/lab-gw", ""},
	{"under another name by now", all, func(w *rewrite.World) { gatewayIn(w).Spec.DNS.ServiceName = "other" }, "", "FreshBlocked", "Service/tsunaro-system/other metadata.uid", ""},
	{"drifted under the former rule", before, func(w *rewrite.World) {
		w.Former[3] = strings.Repeat("c", 64)
		edit(&w.Nine[3], func(m *observe.Member) { m.Result.Path = "data.Corefile" })
	}, "", "FreshBlocked", "ConfigMap/tsunaro-system/lab-gw-coredns data.Corefile", ""},
	{"what the former rule says does not matter to the stage", []verdict.Action{promote}, func(w *rewrite.World) { w.Former = [9]string{} }, promote, "Provisioning", freshName, ""},
	{"drifted under the present one", []verdict.Action{promote}, member(8, func(m *observe.Member) { m.Digest, m.Result.Path = strings.Repeat("c", 64), "spec.replicas" }), "", "FreshBlocked", "StatefulSet/tsunaro-system/lab-gw spec.replicas", ""},
	{"a changed identity is Ready's matter", all[:1], func(w *rewrite.World) { gatewayIn(w).Spec.Tags[0] = "tag:other" }, stage, "Provisioning", stageName, ""},
}

func TestTruthTable(t *testing.T) {
	for _, r := range rows {
		for _, step := range r.at {
			t.Run(string(step)+"/"+r.why, func(t *testing.T) {
				w := at(step)
				r.change(&w)
				v, concerned := rewrite.Decide(w)
				said := strings.TrimSpace(v.Values["object"] + " " + v.Values["path"])
				if v.Step.Do != r.do || v.Reason != r.reason || said != r.said || v.Values["command"] != r.command {
					t.Errorf("step %q %s %q %q", v.Step.Do, v.Reason, said, v.Values["command"])
				}
				if concerned != (r.reason != "") {
					t.Fatalf("concerned: %v", concerned)
				}
				if concerned {
					spoken(t, v)
				}
			})
		}
	}
	w := world(receipt.CurrentRule)
	if v, concerned := rewrite.Decide(w); concerned || v.Step.Do != "" {
		t.Errorf("a receipt of today: %+v", v)
	}
	w.Stage = observe.Unknown[observe.Completion](observe.Denied)
	if _, concerned := rewrite.Decide(w); concerned {
		t.Error("a receipt of today rests on no stage")
	}
	w.Fresh, w.Stage = observe.Absent[observe.Completion](), observe.Absent[observe.Completion]()
	if _, concerned := rewrite.Decide(w); concerned {
		t.Error("nothing is there")
	}
}

// What the steps carry: the receipt under the present rule, with the digests of
// today and all else as it was, under the labels of every record; and what is
// deleted by UID and revision.
//
// REQ: LC-13, LC-17, LC-18, TD-03
func TestSteps(t *testing.T) {
	want, _ := world(receipt.CurrentRule).Fresh.Get()
	for _, do := range []verdict.Action{stage, promote} {
		v, _ := rewrite.Decide(at(do))
		s := v.Step
		c, err := receipt.DecodeCompletion([]byte(s.Data["receipt.json"]))
		if err != nil || string(c.Encode()) != string(want.Receipt.Encode()) || c.Rule != receipt.CurrentRule || len(s.Data) != 1 || !s.Immutable {
			t.Errorf("%s: %v %+v", do, err, s)
		}
		if len(s.Labels) != 2 || s.Labels["tsunaro.io/gateway-uid"] != uid(1) || s.Labels["tsunaro.io/state-uid"] != uid(3) || s.Revision != "" {
			t.Errorf("%s: %+v", do, s)
		}
	}
	former, _ := world(receipt.RuleV010).Fresh.Get()
	if string(former.Receipt.Encode()) == string(want.Receipt.Encode()) {
		t.Error("both rules say the same")
	}
	for do, n := range map[verdict.Action]string{remove: "6", drop: "7"} {
		v, _ := rewrite.Decide(at(do))
		if v.Step.UID == "" || v.Step.Revision != n || v.Step.UID[len(v.Step.UID)-1:] != n {
			t.Errorf("%s: %+v", do, v.Step)
		}
	}
}
