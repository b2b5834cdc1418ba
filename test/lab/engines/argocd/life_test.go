//go:build lab && linux

package argocd

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"tsunaro.io/gateway/health"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// Files of the repository.
const (
	directory     = "examples/argocd/gateway/"
	gatewayFile   = directory + "gateway.yaml"
	hostsFile     = directory + "hosts.yaml"
	kustomization = directory + "kustomization.yaml"
)

// life is the gateway of examples/argocd, and its Application.
type life struct {
	*labtest.World
	git *labtest.Repository
	log *timeline
}

// all is the gateway as the cluster has it.
func (l *life) all() labtest.Gateway { return labtest.Gateway{World: l.World, Name: name} }

// TestLife takes a gateway that Argo CD applies from a cluster without a minter to
// its end. Every state that it comes to is shown by the Application as states has it,
// and by the resource tree as the product's own verdict has it.
func TestLife(t *testing.T) {
	w := labtest.New(t, theLab)
	w.Install()
	for _, file := range []string{"examples/argocd/argocd-cm.yaml", "health/argocd/argocd-cm.yaml"} {
		w.Must(apiserver.Admin, "", "patch", "configmap", "argocd-cm", "--namespace=argocd", "--patch-file="+w.Source(file))
	}
	l := &life{World: w, git: w.Repository("gateways", "examples/argocd"), log: follow(w, name)}
	l.git.Append(kustomization, labtest.HomeLayer+units)
	l.git.Push("at home in a lab")
	for _, step := range []struct {
		name string
		do   func(*life)
	}{
		{"without a minter", (*life).unbound},
		{"with a Secret in its way", (*life).foreign},
		{"begins", (*life).begins},
		{"at rest", (*life).rests},
		{"its zone changes", (*life).zone},
		{"its Pod restarts", (*life).restarts},
		{"its routes change", (*life).routes},
		{"without an address", (*life).noAddress},
		{"suspended", (*life).suspended},
		{"its identity changes", (*life).identity},
		{"a pinned field changes", (*life).pinned},
		{"changed by somebody", (*life).heals},
		{"changed, and not healed", (*life).drifts},
		{"without a minter again", (*life).unattended},
		{"broken in Git", (*life).unbuilt},
		{"without its function", (*life).dropped},
		{"retained", (*life).retained},
		{"torn down", (*life).ends},
		{"by a commit", (*life).commits},
		{"without mutating policies", (*life).unmutated},
	} {
		done := t.Run(step.name, func(t *testing.T) {
			within := *l
			within.World = w.In(t)
			within.git = l.git.In(within.World)
			defer func() { t.Log("Argo CD said:\n" + l.log.String()) }()
			step.do(&within)
		})
		if !done {
			t.FailNow()
		}
	}
}

// units are B13's: what a person writes in other units than the server stores.
const units = `    - op: add
      path: /spec/pod/resources
      value:
        tailscale: {requests: {cpu: "0.5", memory: 1000M}, limits: {cpu: 1000m, memory: 1024Mi}}
        coredns: {requests: {}, limits: {}}
`

// push commits what has changed, and lets Argo CD know as a webhook would.
func (l *life) push(message string) {
	l.Helper()
	l.git.Push(message)
	refresh(l.World, name)
}

// gateway is the custom resource.
func (l *life) gateway(ctx context.Context) (*v1alpha1.TailnetGateway, error) {
	u, err := l.Resource(apiserver.Admin, api.KindTailnetGateway, "").Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	g := &v1alpha1.TailnetGateway{}
	return g, runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, g)
}

// shows waits until the Application is in a state, and the resource tree and the
// product say the same of the gateway, with all of the texts. Argo CD sees by itself
// that a health has changed; that only its message has it sees when it looks again.
func (l *life) shows(s state, texts ...string) (a application) {
	l.Helper()
	refresh(l.World, name) // or it may be the state from before
	a = becomes(l.World, name, "shows: "+s.name, func(a application) error { return a.in(s) })
	l.Await("the tree shows: "+s.name, func(ctx context.Context) error {
		err := l.agree(ctx, texts)
		if err != nil {
			refresh(l.World, name)
		}
		return err
	})
	return a
}

// syncSays waits until the last sync says a text, which it does between two attempts.
func (l *life) syncSays(text string) application {
	l.Helper()
	return becomes(l.World, name, "is refused", func(a application) error {
		if !strings.Contains(a.Status.OperationState.Message, text) {
			return fmt.Errorf("the sync says %q", a.Status.OperationState.Message)
		}
		return nil
	})
}

// agree is no error if the tree shows the product's own verdict.
func (l *life) agree(ctx context.Context, texts []string) error {
	g, err := l.gateway(ctx)
	if err != nil {
		return err
	}
	nodes, err := tree(ctx, l.World, name)
	if err != nil {
		return err
	}
	shown := find(nodes, api.KindTailnetGateway, name)
	v := health.Gateway(g)
	if shown.Health == nil || shown.Health.Status != string(v.Status) || shown.Health.Message != v.Message {
		return fmt.Errorf("the tree shows %+v, and the gateway says %s: %s", shown.Health, v.Status, v.Message)
	}
	for _, text := range texts {
		if !strings.Contains(v.Message, text) {
			return fmt.Errorf("%q does not say %q", v.Message, text)
		}
	}
	return nil
}

// in is no error if an Application is as a state has it.
func (a application) in(s state) error {
	var conditions []string
	for _, c := range a.Status.Conditions {
		conditions = append(conditions, c.Type)
	}
	got := state{s.name, a.Status.Health.Status, a.Status.Sync.Status, a.Status.OperationState.Phase, strings.Join(conditions, ",")}
	if got != s {
		return errors.New("it shows another state")
	}
	return nil
}

// home are the routes of the example.
var home = []string{"10.99.0.0/24", "192.168.10.0/24"}
