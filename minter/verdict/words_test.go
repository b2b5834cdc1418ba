package verdict_test

import (
	"strings"
	"testing"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/digest"
)

// judged changes what one of the nine was found to be.
func judged(i int, state verify.State, path string, differences ...verify.Difference) func(*observe.World) {
	return func(w *observe.World) {
		edit(&w.Nine[i], func(m *observe.Member) {
			m.Result.State, m.Result.Path, m.Result.Differences = state, path, differences
		})
	}
}

func recordedAs(i int, state verify.State) func(*observe.World) {
	return func(w *observe.World) { edit(&w.Nine[i], func(m *observe.Member) { m.Retained = state }) }
}

// What a person reads: what is wrong with which object, and what leads on.
//
// REQ: ST-03, ST-09, LC-10, LC-15, LC-16, LC-22
func TestWords(t *testing.T) {
	const (
		again  = " Nothing brings it back: delete TailnetGateway/lab-gw, with deletionPolicy: Delete to clear up, and create it anew."
		kindly = " If nobody needs it, remove it: `kubectl delete "
	)
	for _, r := range []struct {
		stage  verdict.Action
		change func(*observe.World)
		want   string
	}{
		{verdict.CreateState, func(w *observe.World) { w.Nine[4] = observe.Known(observe.Member{UID: uid(60)}) },
			"Service/tsunaro-system/lab-gw is in the way: this gateway did not make it, so nothing is touched." + kindly + "service lab-gw --namespace tsunaro-system`."},
		{verdict.CreateState, func(w *observe.World) { w.Nine[4] = observe.Known(observe.Member{UID: uid(60), Gateway: "lab-gw"}) },
			"Service/tsunaro-system/lab-gw is left of an earlier gateway of this name, so nothing is touched. If nobody needs what is left of that one, remove it: " +
				"`kubectl delete statefulsets,services,configmaps,poddisruptionbudgets,rolebindings,roles,serviceaccounts --selector tsunaro.io/gateway=lab-gw --namespace tsunaro-system`."},
		{verdict.CreateState, func(w *observe.World) { w.Nine[4] = observe.Known(observe.Member{UID: uid(60), Gateway: "lab"}) },
			"Service/tsunaro-system/lab-gw is in the way: this gateway did not make it, so nothing is touched." + kindly + "service lab-gw --namespace tsunaro-system`."},
		{verdict.CreateState, peer("name: lab-gw}", "name: z-gw}", "lab-dns", "lab-gw-lb", "lab.example", "z.example", "10.99.0.53", "10.99.0.54", "10.96.0.53", "10.96.0.54"),
			"TailnetGateway/lab-gw is refused: metadata.name is also the name of another object of this kind (TailnetGateway/z-gw) [name-conflict]."},
		{open, func(w *observe.World) {
			w.Fresh = observe.Known(observe.Completion{Object: observe.Object{Labels: map[string]string{api.LabelGatewayUID: string(gatewayIn(*w).UID)}}, Err: receipt.ErrCompletion})
		}, "ConfigMap/tsunaro-system/lab-gw-fresh is not readable as a receipt of this minter, so nothing is touched. The first difference is at data[receipt.json]." + kindly + "configmap lab-gw-fresh --namespace tsunaro-system`."},
		{verdict.SwapMinting, judged(8, verify.Different, "spec.x"),
			"StatefulSet/tsunaro-system/lab-gw is not as it was rendered, so nothing is touched. The first difference is at spec.x. Restore it from Git." + kindly + "statefulset lab-gw --namespace tsunaro-system`."},
		{verdict.SwapMinting, judged(8, verify.Older, "metadata.creationTimestamp"),
			"StatefulSet/tsunaro-system/lab-gw is older than this gateway's state, so nothing is touched. The first difference is at metadata.creationTimestamp." + kindly + "statefulset lab-gw --namespace tsunaro-system`."},
		{verdict.SwapMinting, judged(8, verify.Behind, "spec.x"),
			"Setting up, before the step SwapMinting: StatefulSet/tsunaro-system/lab-gw is not synced yet."},
		{verdict.SwapMinting, func(w *observe.World) { w.Nine[2] = observe.Absent[observe.Member]() },
			"Setting up, before the step SwapMinting: RoleBinding/tsunaro-system/lab-gw is not applied yet."},
		{verdict.SwapMinting, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Preflight = observe.Failed }) },
			"lab-gw-0 is not running, or not ready. To see why: `kubectl logs lab-gw-0 --container kernel-preflight --namespace tsunaro-system`."},
		{verdict.CreateFresh, judged(3, verify.Different, "data[x]"),
			"ConfigMap/tsunaro-system/lab-gw-coredns was changed since it was verified, so nothing is touched. The first difference is at data[x]. Restore it from Git."},
		{verdict.CreateFresh, judged(3, verify.WrongUID, "metadata.labels[x]"),
			"ConfigMap/tsunaro-system/lab-gw-coredns is not bound to this gateway and its state, so nothing is touched. The first difference is at metadata.labels[x]." + again},
		{verdict.CreateFresh, func(w *observe.World) { w.Nine[2] = observe.Absent[observe.Member]() },
			"RoleBinding/tsunaro-system/lab-gw is missing, so nothing is touched." + again},
		{unasked, forget,
			"Secret/tsunaro-system/lab-gw-auth is missing, and a key may exist that was made for it, so nothing is touched. The attempt is undone by itself when that key has expired, after EXPIRY."},
		{ready, all(recordedAs(4, verify.Different), judged(4, verify.Different, "spec.x")),
			"Service/tsunaro-system/lab-gw was changed since it was verified, so nothing is touched. The first difference is at spec.x. Restore it from Git."},
		{ready, recordedAs(8, verify.Different), // and as the spec has it now
			"StatefulSet/tsunaro-system/lab-gw was changed since it was verified, with a pinned field of the spec, so nothing is touched. Revert the field in Git."},
		{ready, judged(8, verify.Different, "spec.x"),
			"StatefulSet/tsunaro-system/lab-gw is pinned, and the spec now asks for another, so nothing is touched. The first difference is at spec.x. Revert the field in Git."},
		{ready, recordedAs(4, verify.Replaced),
			"Service/tsunaro-system/lab-gw is not the one that was recorded, so nothing is touched. The first difference is at metadata.uid." + again},
		{ready, spec(func(s *v1alpha1.TailnetGatewaySpec) { s.Hostname = "other" }),
			"spec.hostname of TailnetGateway/lab-gw was changed, which needs a new node: revert it, or delete the gateway and create it anew."},
		{ready, func(w *observe.World) { w.Pods = observe.Known([]observe.Pod(nil)) },
			"lab-gw-0 is not running, or not ready. To see why: `kubectl describe statefulset lab-gw --namespace tsunaro-system`."},
		{ready, func(w *observe.World) { pod(w, func(p *observe.Pod) { p.Ready = false }) },
			"lab-gw-0 is not running, or not ready. To see why: `kubectl describe pod lab-gw-0 --namespace tsunaro-system`."},

		// REQ: DL-05, ST-08: a zone whose serial does not belong to it is not Ready's business.
		{ready, judged(3, verify.Different, "metadata.annotations[tsunaro.io/dns-serial]", verify.Difference{Class: digest.Live}),
			"The node has its proven identity, and lab-gw-0 is running and ready."},
		{ready, judged(3, verify.Different, "data[x]", verify.Difference{Class: verify.Pinned}, verify.Difference{Class: digest.Live}),
			"ConfigMap/tsunaro-system/lab-gw-coredns is pinned, and the spec now asks for another, so nothing is touched. The first difference is at data[x]. Revert the field in Git."},
	} {
		w := at(t, r.stage)
		r.change(&w)
		v := verdict.Decide(w)
		row, _ := api.FindCondition(api.KindTailnetGateway, api.ConditionReady, v.Reason)
		got := row.Message(v.Values)
		if expiry := v.Values["expiry"]; expiry != "" {
			got = strings.ReplaceAll(got, expiry, "EXPIRY")
		}
		if got != r.want {
			t.Errorf("%s:\n%s\nwant\n%s", r.stage, got, r.want)
		}
	}
}
