//go:build lab && linux

package teardown

import (
	"context"
	"errors"
	"path"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tap"
)

// TestUnfinished deletes gateways that have no completion receipt yet. What is of the
// attempt goes, the rest stays.
//
// REQ: TD-04, MT-04
func TestUnfinished(t *testing.T) {
	t.Parallel()
	p := newFreePlace(t)
	p.start()

	bound := p.newGateway()
	p.declare(bound)
	bound.awaitPhase(registry.Open)
	bound.delete()
	bound.awaitGone()
	bound.wantClean()

	placed, mixed := p.newGateway(), p.newGateway()
	p.declare(placed, mixed)
	p.Background(func(ctx context.Context) { poll(ctx, func() bool { return p.sync(ctx, []*gateway{placed, mixed}) }) })
	placed.awaitPod()
	placed.delete()
	placed.awaitGone()
	placed.wantClean()

	mixed.awaitPod()
	mixed.drift()
	const role, lb = "Role/GW", "Service/GW-lb"
	mixed.put(lb, foreign)
	mixed.delete()
	mixed.awaitGone()
	if left := mixed.remains(role); len(left) > 0 {
		t.Errorf("of a mixed attempt %v is left", left)
	}
	for _, o := range []string{role, lb} {
		in, name := mixed.at(o)
		if _, err := in.Get(t.Context(), name, metav1.GetOptions{}); err != nil {
			t.Errorf("what is not of the attempt: %v", err)
		}
	}

	p.Background(p.kubelet)
	p.interrupted(api.FreshName, nil)
	// A key that nothing records: nobody's metadata stand in for that.
	p.interrupted(api.AuthReceiptName, []string{"key"})
}

func (g *gateway) awaitPod() {
	g.Helper()
	g.Await("the Pod of "+g.name+" is there", func(ctx context.Context) error {
		found, err := g.Find(ctx, g.name+"-0", &corev1.Pod{})
		if err == nil && !found {
			err = errors.New("it is not")
		}
		return err
	})
}

// drift makes one of the nine another than it is rendered.
func (g *gateway) drift() {
	g.Helper()
	var r rbacv1.Role
	if _, err := g.Find(g.Context(), g.name, &r); err != nil {
		g.Fatal(err)
	}
	r.Rules = append(r.Rules, rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}})
	if err := shared.admin.Update(g.Context(), &r); err != nil {
		g.Fatal(err)
	}
}

// interrupted is a gateway whose minter was killed when it was about to create a
// record, and that is deleted then.
func (p *place) interrupted(before func(string) string, left []string) {
	p.Helper()
	g := p.newGateway()
	p.judges(func(w tap.Write) tap.Cut {
		if o, err := labtest.Decode(w.Body); err == nil {
			if m, ok := o.(*corev1.ConfigMap); ok && m.Name == before(g.name) {
				return tap.Before
			}
		}
		return tap.Pass
	})
	p.declare(g)
	p.Background(func(ctx context.Context) { poll(ctx, func() bool { return p.sync(ctx, []*gateway{g}) }) })
	g.Await("the minter is killed", func(context.Context) error {
		if !p.Tap.Dead() {
			return errors.New("it is not")
		}
		return nil
	})
	if n := len(g.look().usable(g)); n != 1 {
		g.Errorf("%s: %d keys can be used", g.name, n)
	}
	g.delete()
	p.judges(func(tap.Write) tap.Cut { return tap.Pass })
	p.again()
	g.awaitGone()
	if got := g.remains(); !slices.Equal(got, left) {
		g.Errorf("%s, before %s: left are %v, want %v", g.name, path.Base(before("GW")), got, left)
	}
}
