//go:build lab && linux

package crash

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// TestSlowHeadscale sets a gateway up with a Headscale that takes seconds for every
// answer: no write is given up for it, which would lose a key.
//
// REQ: LC-08, MT-04
func TestSlowHeadscale(t *testing.T) {
	t.Parallel()
	const pause = 4 * time.Second
	g := newPlace(world(t), labtest.Ways{Headscale: func(usual http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			select {
			case <-time.After(pause):
			case <-r.Context().Done():
			}
			return usual.RoundTrip(r)
		})
	}}).newGateway(nobodys)
	g.Background(g.kubelet)
	g.Start()
	g.commit()
	g.awaitComplete()
	g.wantKeys(1, 1)
	if bytes.Contains(g.Said(), []byte(`"lost"`)) {
		t.Error("a write was given up")
	}
}

// awaitComplete waits until the gateway's entry says so.
func (g *gateway) awaitComplete() {
	g.Helper()
	g.Await("it is complete", func(ctx context.Context) error {
		e, err := g.entry(ctx)
		if err == nil && e.Phase != registry.Complete {
			err = fmt.Errorf("it is %q", e.Phase)
		}
		return err
	})
}

// TestSilentHeadscale sets a gateway up with a Headscale that takes requests and does
// not answer, from the binding on. Gateway and Tailnet say so, and when it answers
// again it goes on.
//
// REQ: LC-06, ST-07, MT-06
func TestSilentHeadscale(t *testing.T) {
	t.Parallel()
	var silent atomic.Bool
	g := newPlace(world(t), labtest.Ways{Headscale: func(usual http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			if silent.Load() && r.Method == http.MethodGet {
				<-r.Context().Done()
			}
			return usual.RoundTrip(r)
		})
	}}).newGateway(nobodys)
	g.Background(g.kubelet)
	g.Start()
	g.declare()
	g.says(api.ReasonAwaitingResources)
	silent.Store(true)
	g.says(api.ReasonEvidenceUnavailable)
	g.Await("the Tailnet says so", func(ctx context.Context) error {
		var tn v1alpha1.Tailnet
		_, err := g.Find(ctx, g.tailnet, &tn)
		if c := apimeta.FindStatusCondition(tn.Status.Conditions, api.ConditionReady); err == nil && (c == nil || c.Reason != api.ReasonHeadscaleUnreachable) {
			err = fmt.Errorf("it says %v", c)
		}
		return err
	})
	silent.Store(false)
	g.Background(g.engine)
	g.awaitComplete()
	g.wantKeys(1, 1)
}

// says waits until the condition Ready has a reason.
func (g *gateway) says(reason string) {
	g.Helper()
	g.Await("it says "+reason, func(ctx context.Context) error {
		c, err := g.ready(ctx)
		if err == nil && c.Reason != reason {
			err = fmt.Errorf("%s: %s", c.Reason, c.Message)
		}
		return err
	})
}
