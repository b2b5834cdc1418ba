//go:build lab && long && linux

package health

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// recorded are the states that the lab is taken through, in their order.
var recorded = []state{
	{"TailnetGateway/progressing_not_seen.yaml", "", ""},
	{"TailnetGateway/progressing_tailnet_missing.yaml", api.ConditionReady, api.ReasonTailnetMissing},
	{"Tailnet/progressing_ca_missing.yaml", api.ConditionReady, api.ReasonCABundleMissing},
	{"Tailnet/progressing_bootstrap_key_missing.yaml", api.ConditionReady, api.ReasonBootstrapKeyMissing},
	{"Tailnet/degraded_key_rejected.yaml", api.ConditionReady, api.ReasonKeyRejected},
	{"TailnetGateway/progressing_hosts_missing.yaml", api.ConditionReady, api.ReasonHostsMissing},
	{"TailnetGateway/degraded_hosts_refused.yaml", api.ConditionReady, api.ReasonHostsRefused},
	{"TailnetGateway/progressing_api_key_missing.yaml", api.ConditionReady, api.ReasonAPIKeyMissing},
	{"Tailnet/healthy_ready.yaml", api.ConditionReady, api.ReasonTailnetReady},
	{"TailnetGateway/degraded_foreign_secret.yaml", api.ConditionReady, api.ReasonFreshBlocked},
	{"TailnetGateway/suspended_before.yaml", api.ConditionReady, api.ReasonSuspended},
	{"TailnetGateway/progressing_awaiting_resources.yaml", api.ConditionReady, api.ReasonAwaitingResources},
	{"TailnetGateway/progressing_provisioning.yaml", api.ConditionReady, api.ReasonProvisioning},
	{"TailnetGateway/progressing_runtime_not_ready.yaml", api.ConditionReady, api.ReasonRuntimeNotReady},
	{"TailnetGateway/progressing_routes_not_approved.yaml", api.ConditionRoutesInSync, api.ReasonNotApproved},
	{"TailnetGateway/healthy_running.yaml", api.ConditionReady, api.ReasonFreshRuntimeReady},
	{"TailnetGateway/progressing_engine_behind.yaml", api.ConditionWorkloadCurrent, api.ReasonTemplateOutOfSync},
	{"TailnetGateway/healthy_old_template.yaml", api.ConditionWorkloadCurrent, api.ReasonPodTemplateStale},
	{"TailnetGateway/degraded_live_hosts_refused.yaml", api.ConditionDNSReady, api.ReasonHostsRefused},
	{"TailnetGateway/degraded_live_hosts_missing.yaml", api.ConditionDNSReady, api.ReasonHostsMissing},
	{"TailnetGateway/degraded_identity_changed.yaml", api.ConditionReady, api.ReasonIdentityChanged},
	{"TailnetGateway/degraded_pinned_field.yaml", api.ConditionReady, api.ReasonFreshBlocked},
	{"TailnetGateway/suspended_running.yaml", api.ConditionReady, api.ReasonSuspended},
	{"TailnetGateway/progressing_minter_down.yaml", "", ""},
	{"Tailnet/progressing_headscale_unreachable.yaml", api.ConditionReady, api.ReasonHeadscaleUnreachable},
	{"TailnetGateway/progressing_evidence_unavailable.yaml", api.ConditionReady, api.ReasonEvidenceUnavailable},
	{"TailnetGateway/degraded_zone_blocked.yaml", api.ConditionDNSReady, api.ReasonDNSUpdateBlocked},
	{"TailnetGateway/degraded_drift.yaml", api.ConditionInSync, api.ReasonDrifted},
	{"TailnetGateway/degraded_resource_deleted.yaml", api.ConditionInSync, api.ReasonResourcesMissing},
	{"TailnetGateway/degraded_teardown_blocked.yaml", api.ConditionReady, api.ReasonTeardownBlocked},
	{"TailnetGateway/progressing_deleting.yaml", api.ConditionReady, api.ReasonDeleting},
}

// life is the gateway of examples/home-lab, with what Git says about it.
type life struct {
	*labtest.World
	*recorder
	manifest string
}

const name = "lab-gw"

// TestStates takes the home lab through all states of the corpus that a minter says.
//
// REQ: ST-05, ST-06
func TestStates(t *testing.T) {
	w := labtest.New(t, theLab)
	w.Install()
	l := &life{w, record(w), w.Example("home-lab", labtest.HomeLayer)}
	if os.Getenv("RECORD_HEALTH") != "" {
		defer l.write() // as far as it came
	}
	l.before()
	l.sources()
	l.bootstraps()
	l.serves()
	l.disturbed()
	l.unguarded()
	l.ends()
}

// part are the documents of the manifest that are of a kind.
func (l *life) part(kinds ...string) string {
	l.Helper()
	var docs []string
	for _, d := range strings.Split(l.manifest, "\n---\n") {
		for _, k := range kinds {
			if strings.Contains("\n"+d+"\n", "\nkind: "+k+"\n") {
				docs = append(docs, d)
			}
		}
	}
	if len(docs) == 0 {
		l.Fatalf("no %v in the manifest", kinds)
	}
	return strings.Join(docs, "\n---\n")
}

func (l *life) apply(manifest string) {
	l.Helper()
	l.Must(apiserver.Person, manifest, "apply", "--server-side", "--force-conflicts", "-f", "-")
}

// patch changes the gateway as a person does.
func (l *life) patch(text string) {
	l.Helper()
	l.Must(apiserver.Person, "", "patch", "tailnetgateway", name, "--type=merge", "--patch="+text)
}

// before is a gateway that no minter has seen, and one without a Tailnet.
func (l *life) before() {
	l.apply(l.part("TailnetGateway"))
	l.meets("TailnetGateway/progressing_not_seen.yaml")
	l.Must(apiserver.Admin, "", "apply", "--server-side", "-k", l.Source("minter/deploy"))
	l.meets("TailnetGateway/progressing_tailnet_missing.yaml")
}

// sources are brought one by one.
func (l *life) sources() {
	hosts := func(text string) {
		l.Helper()
		l.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: tailnet-dns-hosts, namespace: " + namespace + ", labels: {tsunaro.io/tailnet: home}}\ndata: {hosts: \"" + text + "\"}\n")
	}
	l.apply(l.part("Tailnet"))
	l.meets("Tailnet/progressing_ca_missing.yaml")
	l.meets("TailnetGateway/progressing_hosts_missing.yaml")
	l.TrustHeadscale()
	l.meets("Tailnet/progressing_bootstrap_key_missing.yaml")
	hosts("192.168.10.07 app.lab.example\\n")
	l.meets("TailnetGateway/degraded_hosts_refused.yaml")
	hosts("192.168.10.8 printer.lab.example\\n")
	l.meets("TailnetGateway/progressing_api_key_missing.yaml")
	bootstrap(l.World, "hskey-api-0123456789ab-0123456789012345678901234567890123456789012345678901234567890123")
	l.meets("Tailnet/degraded_key_rejected.yaml")
}

// bootstraps is the way to Ready, which a foreign Secret and a suspension stop.
func (l *life) bootstraps() {
	secrets := l.Client(apiserver.Admin).CoreV1().Secrets(namespace)
	if _, err := secrets.Create(l.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: api.StateSecretName(name)}}, metav1.CreateOptions{}); err != nil {
		l.Fatal(err)
	}
	key, err := l.Lab.Tailnet.CreateAPIKey(l.Context(), "24h")
	if err != nil {
		l.Fatal(err)
	}
	bootstrap(l.World, key)
	l.meets("Tailnet/healthy_ready.yaml")
	l.meets("TailnetGateway/degraded_foreign_secret.yaml")
	l.patch(`{"spec":{"suspend":true}}`)
	l.meets("TailnetGateway/suspended_before.yaml")
	if err := secrets.Delete(l.Context(), api.StateSecretName(name), metav1.DeleteOptions{}); err != nil {
		l.Fatal(err)
	}
	l.patch(`{"spec":{"suspend":false}}`)
	l.meets("TailnetGateway/progressing_awaiting_resources.yaml")
	l.apply(l.part("ServiceAccount"))
	l.meets("TailnetGateway/progressing_provisioning.yaml")
	l.apply(l.manifest)
	l.meets("TailnetGateway/progressing_routes_not_approved.yaml")
}

// approve approves what the node advertises.
func (l *life) approve(routes ...string) {
	l.Helper()
	h := l.Headscale()
	node, err := h.Node(l.Context(), name)
	if err == nil {
		err = h.Approve(l.Context(), node.ID, routes...)
	}
	if err != nil {
		l.Fatal(err)
	}
}

// serves is a healthy gateway, whose routes change in Git.
func (l *life) serves() {
	l.approve("10.99.0.0/24", "192.168.10.0/24", "192.168.30.0/24")
	l.meets("TailnetGateway/healthy_running.yaml")
	l.manifest = l.Example("home-lab", moreRoutes)
	l.apply(l.part("TailnetGateway"))
	l.meets("TailnetGateway/progressing_engine_behind.yaml")
	l.apply(l.manifest)
	l.meets("TailnetGateway/healthy_old_template.yaml")
	l.Must(apiserver.Person, "", "delete", "pod", name+"-0", "--namespace="+namespace)
	l.meets("TailnetGateway/progressing_runtime_not_ready.yaml")
	l.healthy()
}

// disturbed is what a person can do wrong, and take back.
func (l *life) disturbed() {
	hosts := l.part("ConfigMap")
	l.Must(apiserver.Person, "", "patch", "configmap", "tailnet-dns-hosts", "--namespace="+namespace, "--type=merge", `--patch={"data":{"hosts":"192.168.10.07 app.lab.example\n"}}`)
	l.meets("TailnetGateway/degraded_live_hosts_refused.yaml")
	l.Must(apiserver.Person, "", "delete", "configmap", "tailnet-dns-hosts", "--namespace="+namespace)
	l.meets("TailnetGateway/degraded_live_hosts_missing.yaml")
	l.apply(hosts)
	l.healthy()
	for _, c := range []struct{ file, change, revert string }{
		{"TailnetGateway/degraded_identity_changed.yaml", `{"spec":{"tags":["tag:other"]}}`, `{"spec":{"tags":["tag:gateway"]}}`},
		{"TailnetGateway/degraded_pinned_field.yaml", `{"spec":{"pod":{"tolerations":[{"operator":"Exists"}]}}}`, `{"spec":{"pod":{"tolerations":null}}}`},
		{"TailnetGateway/suspended_running.yaml", `{"spec":{"suspend":true}}`, `{"spec":{"suspend":false}}`},
	} {
		l.meetsAnew(c.file, func() { l.patch(c.change) })
		l.patch(c.revert)
		l.healthy()
	}
	l.ScaleShipped(0)
	l.meetsAnew("TailnetGateway/progressing_minter_down.yaml", func() { l.patch(`{"spec":{"poolLabels":{"lb-pool":"lan"}}}`) })
	l.patch(`{"spec":{"poolLabels":null}}`)
	l.ScaleShipped(1)
	l.healthy()
	l.headscale("https://headscale.example:1")
	l.meets("Tailnet/progressing_headscale_unreachable.yaml")
	l.meets("TailnetGateway/progressing_evidence_unavailable.yaml")
	l.headscale("")
	l.healthy()
}

// headscale says where Headscale's API is; empty is where it really is.
func (l *life) headscale(url string) {
	l.Helper()
	patch := `{"spec":{"apiURL":null}}`
	if url != "" {
		patch = `{"spec":{"apiURL":"` + url + `"}}`
	}
	l.Must(apiserver.Person, "", "patch", "tailnet", "home", "--type=merge", "--patch="+patch)
}

// unguarded is what no person can do as long as the admission policies are in force.
func (l *life) unguarded() {
	l.Must(apiserver.Admin, "", "delete", "--ignore-not-found", "-k", l.Source("policies/admission"))
	maps, serial := l.Client(apiserver.Admin).CoreV1().ConfigMaps(namespace), ""
	l.meetsAnew("TailnetGateway/degraded_zone_blocked.yaml", func() {
		l.Await("the zone's serial is gone", func(ctx context.Context) error {
			m, err := maps.Get(ctx, name+"-coredns", metav1.GetOptions{})
			if err != nil {
				return err
			}
			serial = m.Annotations[api.AnnotationDNSSerial]
			delete(m.Annotations, api.AnnotationDNSSerial)
			m, err = maps.Update(ctx, m, metav1.UpdateOptions{})
			if err == nil && m.Annotations[api.AnnotationDNSSerial] != "" {
				err = errors.New("a policy is still in force")
			}
			return err
		})
	})
	l.Must(apiserver.Admin, "", "annotate", "configmap", name+"-coredns", "--namespace="+namespace, api.AnnotationDNSSerial+"="+serial)
	l.healthy()
	l.meetsAnew("TailnetGateway/degraded_drift.yaml", func() {
		l.Must(apiserver.Admin, "", "patch", "role", name, "--namespace="+namespace, "--type=json", `--patch=[{"op":"add","path":"/rules/0/verbs/-","value":"list"}]`)
	})
	l.Must(apiserver.Admin, "", "patch", "role", name, "--namespace="+namespace, "--type=json", `--patch=[{"op":"remove","path":"/rules/0/verbs/3"}]`)
	l.healthy()
}

// ends is a gateway that has lost one of the nine, and a teardown that finds another
// object in its place.
func (l *life) ends() {
	l.patch(`{"spec":{"deletionPolicy":"Delete"}}`)
	l.healthy()
	l.meetsAnew("TailnetGateway/degraded_resource_deleted.yaml", func() {
		l.Must(apiserver.Admin, "", "delete", "poddisruptionbudget", name, "--namespace="+namespace)
	})
	l.Must(apiserver.Admin, "", "create", "poddisruptionbudget", name, "--namespace="+namespace, "--selector=app=other", "--min-available=1")
	l.Must(apiserver.Person, "", "delete", "tailnetgateway", name, "--wait=false")
	l.meets("TailnetGateway/degraded_teardown_blocked.yaml")
	l.Must(apiserver.Admin, "", "delete", "poddisruptionbudget", name, "--namespace="+namespace)
	l.meets("TailnetGateway/progressing_deleting.yaml")
	l.Must(apiserver.Person, "", "wait", "--for=delete", "tailnetgateway/"+name, "--timeout="+labtest.Deadline.String())
}
