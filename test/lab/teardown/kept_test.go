//go:build lab && linux

package teardown

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// TestKept deletes gateways, with consent, that are kept all the same: a suspended one,
// and one that no client of Headscale can be had for. What a user has brought is not
// touched either.
//
// REQ: TD-05, LC-03, LC-05
func TestKept(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	gs := p.newGateways(2)
	p.declare(gs...)
	p.start()
	p.complete(gs...)

	brought := p.newGateway()
	own := &corev1.Secret{ObjectMeta: p.Meta(api.AuthSecretName(brought.name)), StringData: map[string]string{"authkey": "of my own"}}
	p.Create(own)
	p.declare(brought)
	brought.awaitSays(api.ReasonFreshBlocked, "Secret/"+p.Namespace+"/"+own.Name+" ")
	brought.delete()
	brought.awaitGone()
	var now corev1.Secret
	if found, err := p.Find(t.Context(), own.Name, &now); err != nil || !found || now.UID != own.UID || now.ResourceVersion != own.ResourceVersion {
		t.Errorf("the Secret of the user's: found %t, %v", found, err)
	}

	suspended, cut := gs[0], gs[1]
	suspended.mustPatch(`{"spec":{"suspend":true}}`)
	suspended.awaitSays(api.ReasonSuspended)
	suspended.kept()

	ca := &corev1.ConfigMap{ObjectMeta: p.Meta("headscale-ca")}
	if err := shared.person.Delete(t.Context(), ca); err != nil {
		t.Fatal(err)
	}
	p.Await("the Tailnet misses it", func(ctx context.Context) error {
		var tn v1alpha1.Tailnet
		_, err := p.Find(ctx, p.tailnet, &tn)
		if c := apimeta.FindStatusCondition(tn.Status.Conditions, api.ConditionReady); err == nil && (c == nil || c.Reason != api.ReasonCABundleMissing) {
			err = fmt.Errorf("it says %v", c)
		}
		return err
	})
	cut.kept()
}

// kept is a gateway that is deleted, and of which everything stays.
func (g *gateway) kept() {
	g.Helper()
	before := g.objects()
	g.delete()
	g.awaitGone()
	g.wantLeft(before, nil, g.look())
}
