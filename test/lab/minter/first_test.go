//go:build lab && linux

package minter

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// life is the gateway of examples/home-lab.
type life struct {
	*labtest.World
	manifest  string
	headscale *labtest.REST
	start     time.Time
	node      labtest.Node
	pod       *corev1.Pod
}

const name = "lab-gw"

// TestFirstLife takes the home lab from a commit to Ready. No Secret but the
// bootstrap key is made by hand.
func TestFirstLife(t *testing.T) {
	w := labtest.New(t, theLab)
	install(w)
	l := life{World: w, headscale: w.Headscale(), manifest: w.Example("home-lab", labtest.HomeLayer)}
	for _, step := range []struct {
		name string
		do   func(*life)
	}{
		{"suspended, it is left alone", (*life).suspended},
		{"active, it is bound", (*life).bound},
		{"applied, it becomes ready", (*life).ready},
		{"its key is spent", (*life).spent},
		{"its Pod comes back as itself", (*life).again},
		{"its zone follows the hosts", (*life).follows},
		{"suspended and resumed, it runs on", (*life).resumed},
		{"deleted with consent, nothing of it is left", (*life).deleted},
	} {
		done := t.Run(step.name, func(t *testing.T) {
			within := l
			within.World = l.In(t)
			step.do(&within)
			within.World = l.World
			l = within
		})
		if !done {
			t.FailNow()
		}
	}
}

func (l *life) apply() apiserver.Result {
	l.Helper()
	return l.Kubectl(apiserver.Person, l.manifest, "apply", "--server-side", "-f", "-")
}

// gateway is the CR as it is now.
func (l *life) gateway() *v1alpha1.TailnetGateway {
	l.Helper()
	var g v1alpha1.TailnetGateway
	if err := json.Unmarshal([]byte(l.Must(apiserver.Admin, "", "get", "tailnetgateway", name, "--output=json")), &g); err != nil {
		l.Fatal(err)
	}
	return &g
}

// says waits until a condition has a status and a reason for the present
// generation, and returns the gateway.
func (l *life) says(condition string, status metav1.ConditionStatus, reason string) (g *v1alpha1.TailnetGateway) {
	l.Helper()
	l.Await(fmt.Sprintf("%s is %s/%s", condition, status, reason), func(context.Context) error {
		g = l.gateway()
		c := apimeta.FindStatusCondition(g.Status.Conditions, condition)
		if c == nil {
			return errors.New("it is absent")
		}
		if c.Status != status || c.Reason != reason || c.ObservedGeneration != g.Generation {
			return fmt.Errorf("it is %s/%s: %s", c.Status, c.Reason, c.Message)
		}
		return nil
	})
	return g
}

// suspended applies the CR as examples do not: suspended. The engine has nothing to
// apply, and the minter makes nothing.
//
// REQ: LC-03, LC-04
func (l *life) suspended() {
	suspended := strings.Replace(l.manifest, "suspend: false", "suspend: true", 1)
	r := l.Kubectl(apiserver.Person, suspended, "apply", "--server-side", "-f", "-")
	if len(labtest.Refusals(r)) == 0 {
		l.Errorf("the nine were taken: %s", r.Stdout)
	}
	g := l.says(api.ConditionReady, metav1.ConditionFalse, api.ReasonSuspended)
	for _, absent := range []string{api.ConditionWorkloadCurrent, api.ConditionServiceReady, api.ConditionReconciling, api.ConditionStalled} {
		if c := apimeta.FindStatusCondition(g.Status.Conditions, absent); c != nil {
			l.Errorf("%s is %s/%s", absent, c.Status, c.Reason)
		}
	}
	secrets, err := l.Client(apiserver.Admin).CoreV1().Secrets(namespace).List(l.Context(), metav1.ListOptions{})
	if err != nil {
		l.Fatal(err)
	}
	for _, s := range secrets.Items {
		if strings.HasPrefix(s.Name, name) {
			l.Errorf("%s was made for a suspended gateway", s.Name)
		}
	}
}

// REQ: LC-02, LC-08, LC-21
func (l *life) bound() {
	l.start = time.Now()
	if r := l.apply(); len(labtest.Refusals(r)) == 0 {
		l.Errorf("the nine were taken before the binding: %s", r.Stdout)
	}
	l.says(api.ConditionBound, metav1.ConditionTrue, api.ReasonBindingOpen)
	l.since("Bound")
}

func (l *life) since(what string) {
	l.Helper()
	l.Logf("%6.2f s  %s", time.Since(l.start).Seconds(), what)
}

// REQ: LC-08, LC-13, LC-16, MT-01, MT-03, MT-05, ST-08
func (l *life) ready() {
	if r := l.apply(); r.Code != 0 {
		l.Fatalf("%s%s", r.Stdout, r.Stderr)
	}
	l.since("applied")
	l.Await("the key is minted", func(ctx context.Context) error {
		_, err := l.Client(apiserver.Admin).CoreV1().Secrets(namespace).Get(ctx, api.AuthSecretName(name), metav1.GetOptions{})
		return err
	})
	l.since("minted")
	l.says(api.ConditionBound, metav1.ConditionTrue, api.ReasonBindingComplete)
	l.since("complete")
	g := l.says(api.ConditionReady, metav1.ConditionTrue, api.ReasonFreshRuntimeReady)
	l.since("Ready")
	node, err := l.headscale.Node(l.Context(), name)
	if err != nil {
		l.Fatal(err)
	}
	l.node = node
	if g.Status.NodeID != node.ID || !slices.Contains(node.Addresses, g.Status.IPv4) {
		l.Errorf("status: node %q, address %q; Headscale: %q, %v", g.Status.NodeID, g.Status.IPv4, node.ID, node.Addresses)
	}
	l.pod = l.AwaitReady(namespace, name+"-0")
}

// key is a pre-auth key as Headscale lists it.
type key struct {
	ID         string
	Expiration time.Time
	ACLTags    []string
}

// REQ: MT-09
func (l *life) spent() {
	l.Await("the key is expired", func(ctx context.Context) error {
		var list struct{ PreAuthKeys []key }
		if err := l.headscale.Call(ctx, http.MethodGet, "/api/v1/preauthkey", nil, &list); err != nil {
			return err
		}
		keys := slices.DeleteFunc(list.PreAuthKeys, func(k key) bool { return !slices.Equal(k.ACLTags, []string{"tag:gateway"}) })
		switch {
		case len(keys) != 1:
			return fmt.Errorf("%d keys were minted for the gateway", len(keys))
		case keys[0].Expiration.After(time.Now()):
			return fmt.Errorf("it expires %v", keys[0].Expiration)
		}
		return nil
	})
	l.since("spent")
}

// REQ: PD-09, UP-05
func (l *life) again() {
	l.Must(apiserver.Person, "", "delete", "pod", l.pod.Name, "--namespace="+namespace)
	l.AwaitPod(namespace, l.pod.Name, "is another one, and Ready", func(p *corev1.Pod) error {
		if p.UID == l.pod.UID {
			return errors.New("it is the same")
		}
		return labtest.Ready(p)
	})
	l.says(api.ConditionReady, metav1.ConditionTrue, api.ReasonFreshRuntimeReady)
	node, err := l.headscale.Node(l.Context(), name)
	if err != nil {
		l.Fatal(err)
	}
	if node.ID != l.node.ID || node.NodeKey != l.node.NodeKey || !slices.Equal(node.Addresses, l.node.Addresses) {
		l.Errorf("it came back as %+v, and was %+v", node, l.node)
	}
}

// follows adds a name to the hosts source and asks the running CoreDNS for it. What
// Git holds is a seed: applied again, it changes nothing of the live zone.
//
// REQ: DL-01, DL-05, DL-07
func (l *life) follows() {
	l.says(api.ConditionDNSReady, metav1.ConditionTrue, api.ReasonDNSInSync)
	before := l.gateway().Status.DNS.Serial
	pod := l.AwaitReady(namespace, l.pod.Name)
	started := labtest.Container(pod, "coredns").ContainerID
	l.start = time.Now()
	l.Must(apiserver.Person, "", "patch", "configmap", "tailnet-dns-hosts", "--namespace="+namespace, "--type=merge",
		`--patch={"data":{"hosts":"192.168.10.8 printer.lab.example\n192.168.10.9 new.lab.example\n"}}`)
	l.Await("the next serial is live", func(context.Context) error {
		if s := l.gateway().Status.DNS.Serial; s != before+1 {
			return fmt.Errorf("serial %d after %d", s, before)
		}
		return nil
	})
	l.since("swapped")
	answered := func(ctx context.Context) error {
		m, err := l.Ask(ctx, lab.OnNode, "udp", pod.Status.PodIP, "new.lab.example.", dns.TypeA)
		if err == nil && (len(m.Answer) != 1 || !strings.Contains(m.Answer[0].String(), "192.168.10.9")) {
			err = fmt.Errorf("%s %v", dns.RcodeToString[m.Rcode], m.Answer)
		}
		return err
	}
	l.Await("CoreDNS answers it", answered)
	l.since("answered")
	l.Must(apiserver.Person, l.manifest, "apply", "--server-side", "--force-conflicts", "--filename=-", "--selector="+api.LabelGateway+"="+name)
	if s := l.gateway().Status.DNS.Serial; s != before+1 {
		l.Errorf("serial %d after Git was applied again", s)
	}
	l.Await("CoreDNS still answers it", answered)
	now := l.AwaitReady(namespace, l.pod.Name)
	if now.UID != pod.UID || labtest.Container(now, "coredns").ContainerID != started {
		l.Error("CoreDNS was started anew")
	}
}

// resumed looks at the nine, the records and the Pod before and after.
//
// REQ: LC-03, LC-14
func (l *life) resumed() {
	before := l.things()
	l.Must(apiserver.Person, "", "patch", "tailnetgateway", name, "--type=merge", `--patch={"spec":{"suspend":true}}`)
	l.says(api.ConditionReady, metav1.ConditionFalse, api.ReasonSuspended)
	l.Must(apiserver.Person, "", "patch", "tailnetgateway", name, "--type=merge", `--patch={"spec":{"suspend":false}}`)
	l.says(api.ConditionReady, metav1.ConditionTrue, api.ReasonFreshRuntimeReady)
	if after := l.things(); !maps.Equal(before, after) {
		l.Errorf("before %v\nafter  %v", before, after)
	}
}

// things are the resourceVersions of all that belongs to the gateway, but for the
// Secret that Tailscale writes to.
func (l *life) things() map[string]string {
	l.Helper()
	var list metav1.PartialObjectMetadataList
	text := l.Must(apiserver.Admin, "", "get", "--namespace="+namespace, "--output=json",
		"statefulsets,services,configmaps,serviceaccounts,roles,rolebindings,poddisruptionbudgets,secrets,pods")
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		l.Fatal(err)
	}
	all := map[string]string{}
	for _, o := range list.Items {
		if o.Name != api.StateSecretName(name) && (strings.HasPrefix(o.Name, name) || o.Name == "lab-dns" || o.Name == api.BindingsName) {
			all[o.Kind+"/"+o.Name] = o.ResourceVersion
		}
	}
	return all
}

// deleted takes everything away, at Headscale too. Before the consent there is no
// finalizer.
//
// REQ: TD-01, TD-02
func (l *life) deleted() {
	if f := l.gateway().Finalizers; len(f) != 0 {
		l.Errorf("finalizers without consent: %v", f)
	}
	l.Must(apiserver.Person, "", "patch", "tailnetgateway", name, "--type=merge", `--patch={"spec":{"deletionPolicy":"Delete"}}`)
	l.Await("the gateway has its finalizer", func(context.Context) error {
		if f := l.gateway().Finalizers; !slices.Contains(f, api.FinalizerTeardown) {
			return fmt.Errorf("finalizers %v", f)
		}
		return nil
	})
	l.says(api.ConditionReady, metav1.ConditionTrue, api.ReasonFreshRuntimeReady)
	l.start = time.Now()
	l.Must(apiserver.Person, "", "delete", "tailnetgateway", name, "--timeout="+labtest.Deadline.String())
	l.since("deleted")
	for what := range l.things() {
		if what != "ConfigMap/"+api.BindingsName {
			l.Errorf("%s is left", what)
		}
	}
	if nodes, err := l.headscale.Nodes(l.Context()); err != nil {
		l.Error(err)
	} else if slices.ContainsFunc(nodes, func(n labtest.Node) bool { return n.ID == l.node.ID }) {
		l.Error("the node is left")
	}
	if _, err := l.Client(apiserver.Admin).CoreV1().Secrets(namespace).Get(l.Context(), api.StateSecretName(name), metav1.GetOptions{}); err == nil {
		l.Error("the state Secret is left")
	}
}
