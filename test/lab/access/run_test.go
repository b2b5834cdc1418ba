//go:build lab

package access

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/minter/controller"
	"tsunaro.io/gateway/minter/deploy"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/headscaledouble"
)

// The minter itself, with its own rights and the arguments of its Deployment: it
// removes an entry of an earlier gateway, opens this one, replaces a working key that
// is refused, undoes an attempt whose entry was lost, and follows the deletion
// policy. Nothing is forbidden to it, and every verb of the table is used.
//
// REQ: OP-02, LC-08, LC-21, LC-22, TD-01
func TestMinterRuns(t *testing.T) {
	l := start(t)
	tailnet := l.headscale()
	l.kubectl(string(l.input("hosts.yaml")), "apply", "--server-side", "-f", "-")
	l.kubectl(string(l.input("gateway.yaml")), "apply", "--server-side", "-f", "-")
	t.Cleanup(func() {
		l.kubectl("", "delete", "--ignore-not-found", "--namespace", namespace, "configmap/"+api.BindingsName,
			"secret/"+api.StateSecretName(gateway), "secret/"+api.WorkingKeySecretName("home"), "lease/"+api.MinterName)
		l.kubectl("", "delete", "--ignore-not-found", "tailnetgateway/"+gateway, "tailnet/home")
	})
	l.patchGateway(`{"spec": {"deletionPolicy": "Delete"}}`)
	l.register() // of another UID

	var u used
	l.run(&u)
	l.eventually("the finalizers are there", func() bool { return len(l.gateway().Finalizers) == 1 && len(l.tailnet().Finalizers) == 1 })
	first := l.opened(stateUID)
	l.apply(l.render(tailnet, first))
	l.eventually("the nine are seen", func() bool { return l.reason(api.ConditionReady) == api.ReasonProvisioning })

	key := types.NamespacedName{Namespace: namespace, Name: api.WorkingKeySecretName("home")}
	l.kubectl("", "patch", "secret", key.Name, "--namespace", namespace, "--type=merge", "-p", `{"stringData": {"apikey": "wrong"}}`)
	l.eventually("the working key is replaced", func() bool {
		s, err := l.client(apiserver.Admin).CoreV1().Secrets(namespace).Get(t.Context(), key.Name, metav1.GetOptions{})
		return err == nil && string(s.Data[api.WorkingKeySecretKey]) != "wrong"
	})

	l.kubectl("", "delete", "configmap", api.BindingsName, "--namespace", namespace)
	l.opened(first[api.BindingKey(gateway, api.BindingStateUID)])
	l.patchGateway(`{"spec": {"deletionPolicy": "Retain"}}`)
	l.eventually("the finalizers are gone", func() bool { return len(l.gateway().Finalizers)+len(l.tailnet().Finalizers) == 0 })
	l.wantUsed(&u)
}

// headscale is a Tailnet of a Headscale in memory, with a bootstrap key.
func (l lab) headscale() (tailnet []byte) {
	l.Helper()
	hs := headscaledouble.Start(headscaledouble.Options{})
	l.Cleanup(hs.Close)
	manifest := func(v any) string {
		text, err := yaml.Marshal(v)
		if err != nil {
			l.Fatal(err)
		}
		return string(text)
	}
	tailnet = []byte(manifest(map[string]any{
		"apiVersion": api.APIVersion, "kind": api.KindTailnet, "metadata": map[string]any{"name": "home"},
		"spec": map[string]any{"controlURL": hs.URL, "caBundleConfigMapRef": map[string]any{"name": "headscale-ca"}},
	}))
	for _, text := range []string{string(tailnet), manifest(map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "headscale-ca", "namespace": namespace},
		"data": map[string]any{"ca.crt": string(hs.CA())},
	}), manifest(map[string]any{
		"apiVersion": "v1", "kind": "Secret", "metadata": map[string]any{"name": "headscale-bootstrap", "namespace": namespace},
		"stringData": map[string]any{"apikey": hs.CreateAPIKey(time.Hour)},
	})} {
		l.kubectl(text, "apply", "--server-side", "--force-conflicts", "-f", "-")
	}
	return tailnet
}

// run runs the minter until the test ends.
func (l lab) run(u *used) {
	l.Helper()
	config, err := l.Config(minter())
	if err != nil {
		l.Fatal(err)
	}
	d, err := l.client(apiserver.Admin).AppsV1().Deployments(namespace).Get(l.Context(), api.MinterName, metav1.GetOptions{})
	if err != nil {
		l.Fatal(err)
	}
	l.Setenv("RUNTIME_NAMESPACE", namespace)
	var o controller.Options
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.BindFlags(flags)
	args := append(d.Spec.Template.Spec.Containers[0].Args, "--metrics-addr=0", "--health-addr=0", "--log-level=error")
	if err := flags.Parse(args); err != nil {
		l.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- controller.Run(ctx, u.watched(config), o) }()
	l.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			l.Errorf("the minter: %v", err)
		}
	})
}

// opened waits for an open entry with another state than one, and returns the
// registry.
func (l lab) opened(other string) (registry map[string]string) {
	l.Helper()
	l.eventually("the gateway is open", func() bool {
		m, err := l.client(apiserver.Admin).CoreV1().ConfigMaps(namespace).Get(l.Context(), api.BindingsName, metav1.GetOptions{})
		if err != nil {
			return false
		}
		registry = m.Data
		state := registry[api.BindingKey(gateway, api.BindingStateUID)]
		return registry[api.BindingKey(gateway, api.BindingPhase)] == api.PhaseOpen && state != "" && state != other
	})
	return registry
}

func (l lab) patchGateway(patch string) {
	l.Helper()
	l.kubectl("", "patch", "tailnetgateway", gateway, "--type=merge", "-p", patch)
}

// gateway is the live TailnetGateway, as the minter reads it.
func (l lab) gateway() *v1alpha1.TailnetGateway {
	l.Helper()
	g, ok := kube.Read[v1alpha1.TailnetGateway](l.Context(), l.cluster(), gateway).Get()
	if !ok {
		l.Fatal("the gateway cannot be read")
	}
	return g
}

// tailnet is the live Tailnet, likewise.
func (l lab) tailnet() *v1alpha1.Tailnet {
	l.Helper()
	t, ok := kube.Read[v1alpha1.Tailnet](l.Context(), l.cluster(), "home").Get()
	if !ok {
		l.Fatal("the Tailnet cannot be read")
	}
	return t
}

func (l lab) reason(condition string) string {
	l.Helper()
	for _, c := range l.gateway().Status.Conditions {
		if c.Type == condition {
			return c.Reason
		}
	}
	return ""
}

// spare are the grants that need not be used here: an event that is told again is
// patched, and a server that cannot begin a watch with what is there is asked for a
// list before.
func spare(g deploy.Grant, verb string) bool {
	return g.Resource == "events" && verb == "patch" || verb == "list" && slices.Contains(g.Verbs, "watch")
}

// wantUsed wants nothing forbidden, nothing outside of the table, and everything
// in it used.
func (l lab) wantUsed(u *used) {
	l.Helper()
	all, forbidden := u.seen()
	for q := range forbidden {
		l.Errorf("forbidden: %s", q)
	}
	needed := map[string]bool{}
	for q := range all {
		name := ""
		if q.resource == "leases" {
			name = q.name
		}
		needed[fmt.Sprintf("%s %s.%s %q", q.verb, q.resource, q.group, name)] = true
		if q.namespace != "" && q.namespace != namespace && !(q.namespace == corev1.NamespaceDefault && q.resource == "events") {
			l.Errorf("in another namespace: %s", q)
		}
	}
	for _, g := range deploy.Access() {
		for _, verb := range g.Verbs {
			grant := fmt.Sprintf("%s %s.%s %q", verb, g.Resource, g.Group, g.Name)
			if !needed[grant] && !spare(g, verb) {
				l.Errorf("allowed, and not used: %s", grant)
			}
			delete(needed, grant)
		}
	}
	for n := range needed {
		l.Errorf("used, and not in the table: %s", n)
	}
}
