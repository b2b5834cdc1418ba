//go:build lab && linux

package blocked

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
)

// What was proven with a gateway stays as it was, or the gateway is not Ready. What
// was changed can be taken back. What is gone, or another object by now, cannot: the
// way out is a new gateway, and the messages lead it through all that is left.
//
// REQ: LC-05, LC-10, LC-13, LC-15, LC-20, MT-07, UP-01, UP-11
func completed(t *testing.T) {
	const uid = "metadata.labels[tsunaro.io/gateway-uid]"
	const anew = "delete TailnetGateway/GW, with deletionPolicy: Delete to clear up, and create it anew"
	const left = 5 // receipt, state, auth receipt, auth Secret, and the nine at once
	try(t, []fault{
		{
			name: "second-pod-later", from: complete, commands: 1, cause: labelledPod,
			reason: api.ReasonFreshBlocked, object: "Pod/NS/GW-of-old ",
		},
		{
			name: "drifted", from: complete, refused: "tsunaro-pinned",
			cause:  altered("StatefulSet", "GW", int64(5), "spec", "template", "spec", "terminationGracePeriodSeconds"),
			reason: api.ReasonFreshBlocked, object: "StatefulSet/NS/GW ", path: "spec.template.spec.terminationGracePeriodSeconds", mend: (*gateway).engine,
		},
		{
			name: "followed", from: complete, refused: "tsunaro-pinned",
			cause:  both(commits([]any{object{"operator": "Exists"}}, "pod", "tolerations"), synced),
			reason: api.ReasonFreshBlocked, object: "StatefulSet/NS/GW ", path: "Revert the field in Git",
			mend: func(g *gateway) { g.Helper(); g.change([]any{}, "pod", "tolerations"); g.engine() },
		},
		{
			name: "replaced", from: complete, refused: "tsunaro-create",
			cause: func(g *gateway) error {
				g.Helper()
				nine := g.nine()
				if err := g.kubectl("delete", "service", "GW-lb", "--namespace=NS", "--dry-run="+dryRun(g)); err != nil {
					return err
				}
				o := find(nine, "Service", g.name+"-lb")
				if g.namespace == guarded { // one that is there would be updated
					o["metadata"].(object)["name"] = g.name + "-lb-2"
				}
				return put(g.Context(), g.World, o)
			},
			mend: (*gateway).recreate, commands: left,
			reason: api.ReasonFreshBlocked, object: "Service/NS/GW-lb ", path: "metadata.uid. Nothing brings it back: " + anew,
		},
		{
			name: "deleted", from: complete, cause: deleted("serviceaccount", "GW"), mend: (*gateway).recreate, commands: left,
			reason: api.ReasonFreshBlocked, object: "ServiceAccount/NS/GW is missing", path: anew,
		},
		{
			name: "deleted-statefulset", from: complete, cause: deleted("statefulset", "GW"), mend: (*gateway).recreate, commands: left,
			reason: api.ReasonFreshBlocked, object: "StatefulSet/NS/GW is missing", path: anew,
		},
		{
			name: "deleted-state", from: complete, cause: deleted("secret", "GW-state"), mend: (*gateway).recreate, commands: left - 1,
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-state is missing", path: anew,
		},
		{
			name: "deleted-auth", from: complete, cause: deleted("secret", "GW-auth"), mend: (*gateway).recreate, commands: left - 1,
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-auth is missing", path: anew,
		},
		{
			name: "deleted-receipt", from: complete, cause: deleted("configmap", "GW-auth-receipt"), mend: (*gateway).recreate, commands: left - 1,
			reason: api.ReasonFreshBlocked, object: "ConfigMap/NS/GW-auth-receipt is missing", path: anew,
		},
		{
			name: "deleted-fresh", from: complete, cause: deleted("configmap", "GW-fresh"), mend: (*gateway).recreate, commands: left - 1,
			reason: api.ReasonFreshBlocked, object: "ConfigMap/NS/GW-fresh is missing", path: anew,
		},
		{
			name: "replaced-state", from: complete, mend: (*gateway).recreate, commands: left,
			cause:  both(deleted("secret", "GW-state"), recorded("Secret", "GW-state", (*gateway).uid)),
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-state ", path: "metadata.uid. Nothing brings it back: " + anew,
		},
		{
			name: "edited-auth", from: complete, refused: "tsunaro-records", mend: (*gateway).recreate, commands: left,
			cause:  patched("secret", "GW-auth", `{"metadata":{"annotations":{"lab.example/note":"x"}}}`),
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-auth was edited", path: "metadata.resourceVersion. Nothing brings it back: " + anew,
		},
		{
			name: "replaced-fresh", from: complete, refused: "tsunaro-record", mend: (*gateway).recreate, commands: left,
			cause: func(g *gateway) error {
				g.Helper()
				if err := g.kubectl("delete", "configmap", "GW-fresh", "--namespace=NS", "--dry-run="+dryRun(g)); err != nil {
					return err
				}
				return recorded("ConfigMap", "GW-fresh", (*gateway).uid)(g)
			},
			reason: api.ReasonFreshBlocked, object: "ConfigMap/NS/GW-fresh is not readable", path: anew,
		},
		{
			name: "dead-key", from: complete, cause: expireKey, mend: (*gateway).recreate, commands: left,
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-auth holds a key that has expired", path: "metadata.annotations[tsunaro.io/key-expires]",
		},

		// A gateway that was deleted and created again, at different stages.
		{
			name: "again-complete", from: complete, cause: again, commands: left,
			reason: api.ReasonFreshBlocked, object: "ConfigMap/NS/GW-fresh ", path: uid,
		},
		{
			name: "again-placed", from: placed, cause: again, commands: 2,
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-state ", path: uid,
		},
		{
			name: "again-bound", from: bound, cause: again, commands: 1,
			reason: api.ReasonFreshBlocked, object: "Secret/NS/GW-state ", path: uid,
		},
	})
}

// dryRun is how a deletion is tried in the namespace where what follows is refused.
func dryRun(g *gateway) string {
	if g.namespace == guarded {
		return "server"
	}
	return "none"
}

// commits changes a field of the spec in Git.
func commits(value any, path ...string) func(*gateway) error {
	return func(g *gateway) error { g.Helper(); g.change(value, path...); return nil }
}

// synced applies the nine once.
func synced(g *gateway) error { g.Helper(); return put(g.Context(), g.World, g.nine()...) }

// deleted deletes an object of the gateway's with kubectl.
func deleted(kind, name string) func(*gateway) error {
	return func(g *gateway) error {
		g.Helper()
		if err := g.kubectl("delete", kind, name, "--namespace=NS"); err != nil {
			return err
		}
		if kind == "secret" {
			g.wake()
		}
		return nil
	}
}

// recreate deletes the CR and creates it again. What belonged to the first one stays,
// as long as nobody removes it.
func (g *gateway) recreate() {
	g.Helper()
	if err := again(g); err != nil {
		g.Fatal(err)
	}
}

// again is recreate as a cause. No binding of the first gateway is there when the
// second one is looked at, and nothing of what it left has been touched.
//
// REQ: LC-21
func again(g *gateway) error {
	g.Helper()
	was := g.uid()
	before := g.left(was)
	if err := g.kubectl("delete", "tailnetgateway", "GW"); err != nil {
		return err
	}
	g.commit()
	g.await("is another gateway, and blocked", func(s seen) error {
		if string(s.GetUID()) == was || s.condition(api.ConditionReady).Reason != api.ReasonFreshBlocked {
			return errors.New("it is not")
		}
		return nil
	})
	if data := g.registry()["data"].(object); len(data) > 0 {
		g.Errorf("the entry of the first gateway is still there: %v", data)
	}
	if after := g.left(was); !slices.Equal(before, after) {
		g.Errorf("before %v\nafter  %v", before, after)
	}
	return nil
}

// left are the UIDs of the nine and the records of a gateway with a UID.
func (g *gateway) left(uid string) []string {
	g.Helper()
	return strings.Fields(g.Must(apiserver.Admin, "", "get", "--namespace="+g.namespace, "--output=jsonpath={.items[*].metadata.uid}",
		"statefulsets,services,configmaps,serviceaccounts,roles,rolebindings,poddisruptionbudgets,secrets", "--selector="+api.LabelGatewayUID+"="+uid))
}

// expireKey expires the minted key at Headscale, as its administrator.
func expireKey(g *gateway) error {
	g.Helper()
	s, err := g.Client(apiserver.Admin).CoreV1().Secrets(g.namespace).Get(g.Context(), api.AuthSecretName(g.name), metav1.GetOptions{})
	if err != nil {
		return err
	}
	id := s.Annotations[api.AnnotationKeyID]
	if err := shared.headscale.Call(g.Context(), http.MethodPost, "/api/v1/preauthkey/expire", object{"id": id}, nil); err != nil {
		return fmt.Errorf("the key %q: %w", id, err)
	}
	g.wake()
	return nil
}

// Changes of a completed gateway's spec, and of its Tailnet's, that need a new node
// or a new Pod are named by their field, and are forgotten once they are taken back.
//
// REQ: LC-15, UP-01
func reverted(t *testing.T) {
	w := world(t)
	t.Run("gateway", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t, w, "reverted", "home", guarded)
		g.reach(complete)
		for _, c := range []struct {
			field, reason, says string
			value               any
			path                []string
		}{
			{"spec.tags", api.ReasonIdentityChanged, "spec.tags of TailnetGateway/GW was changed", []any{"tag:gateway", "tag:other"}, []string{"tags"}},
			{"spec.hostname", api.ReasonIdentityChanged, "spec.hostname of TailnetGateway/GW was changed", "reverted-2", []string{"hostname"}},
			{"spec.tailnetRef", api.ReasonTailnetMissing, "Tailnet/reverted-2", "reverted-2", []string{"tailnetRef", "name"}},
			{"spec.loadBalancerIP", api.ReasonIdentityChanged, "spec.loadBalancerIP of TailnetGateway/GW was changed", "10.99.0.3", []string{"loadBalancerIP"}},
			{"spec.dns.zone", api.ReasonIdentityChanged, "spec.dns.zone of TailnetGateway/GW was changed", "reverted-2.example", []string{"dns", "zone"}},
			{"spec.dns.serviceName", api.ReasonIdentityChanged, "spec.dns.serviceName of TailnetGateway/GW was changed", "reverted-2", []string{"dns", "serviceName"}},
			{"spec.dns.clusterIP", api.ReasonIdentityChanged, "spec.dns.clusterIP of TailnetGateway/GW was changed", "10.96.0.3", []string{"dns", "clusterIP"}},
			{"spec.dns.extraZones", api.ReasonIdentityChanged, "spec.dns.extraZones[].zone of TailnetGateway/GW was changed",
				[]any{object{"zone": "corp.example", "upstreams": []any{"192.168.10.2"}}}, []string{"dns", "extraZones"}},
			{"spec.pod.tolerations", api.ReasonFreshBlocked, "StatefulSet/NS/GW is pinned, and the spec now asks for another, so nothing is touched. The first difference is at spec.template.spec.tolerations",
				[]any{object{"operator": "Exists"}}, []string{"pod", "tolerations"}},
			{"spec.pod.sysctls", api.ReasonFreshBlocked, "StatefulSet/NS/GW is pinned, and the spec now asks for another, so nothing is touched. The first difference is at spec.template.spec.securityContext",
				[]any{object{"name": "net.ipv4.ip_forward", "value": "1"}}, []string{"pod", "sysctls"}},
		} {
			revert := g.change(c.value, c.path...)
			g.Logf("%s: %s", c.field, g.says(api.ConditionReady, c.reason, c.says).condition(api.ConditionReady).Message)
			revert()
			g.completed()
		}
	})
	t.Run("tailnet", func(t *testing.T) {
		t.Parallel()
		g := newGateway(t, w, "reverted-tailnet", "reverted-tailnet-net", guarded)
		g.sources()
		g.reach(complete)
		for _, c := range []struct {
			reason, says string
			field        string
			value        any
		}{
			{api.ReasonIdentityChanged, "spec.controlURL of Tailnet/GW-net was changed", "controlURL", lab.HeadscaleURL + ":443"},
			{api.ReasonIdentityChanged, "spec.dns.hostsConfigMapRef.name of Tailnet/GW-net was changed", "dns", object{"hostsConfigMapRef": object{"name": "home-hosts"}}},
			{api.ReasonEvidenceUnavailable, "Headscale/GW-net could not be read", "apiURL", lab.HeadscaleURL + ":444"},
			{api.ReasonFreshBlocked, "StatefulSet/NS/GW is pinned", "caBundleConfigMapRef", nil},
		} {
			changed := tailnet(g.name+"-net", guarded, object{c.field: c.value})
			if c.value == nil {
				delete(changed["spec"].(object), c.field)
			}
			apply(g.World, changed)
			g.Logf("%s: %s", c.field, g.says(api.ConditionReady, c.reason, c.says).condition(api.ConditionReady).Message)
			apply(g.World, g.tailnet)
			g.completed()
		}
	})
}
