//go:build lab && linux

package teardown

import (
	"context"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/process"
	"tsunaro.io/gateway/test/testbed/tap"
)

// place is an operator namespace with a Tailnet, a minter, and a tap between that
// and its servers.
type place struct {
	*labtest.World
	namespace, tailnet string
	free               bool // no policy applies
	dir                string

	tap       *tap.Tap
	apiServer string // URLs of the tap
	headscale string
	judge     atomic.Pointer[func(tap.Write) tap.Cut]
	fault     atomic.Pointer[fault]
	forbidden forbidden

	minter *process.Process
	logs   []string
	all    []*gateway
}

// Names of the servers behind a tap.
const (
	theAPIServer = "API server"
	theHeadscale = "Headscale"
)

// placesMade counts the places of either sort: each has a namespace of its own.
var placesMade struct{ guarded, free atomic.Int32 }

// newPlace makes a place in which the policies apply, without a minter.
func newPlace(t *testing.T) *place {
	t.Helper()
	n := int(placesMade.guarded.Add(1)) - 1
	if n >= maxGuarded {
		t.Fatalf("more than %d places", maxGuarded)
	}
	return (&place{World: world(t), namespace: guarded(n)}).prepare()
}

// newFreePlace makes one in which no policy does.
func newFreePlace(t *testing.T) *place {
	t.Helper()
	n := int(placesMade.free.Add(1)) - 1
	if n >= maxFree {
		t.Fatalf("more than %d free places", maxFree)
	}
	return (&place{World: world(t), namespace: free(n), free: true}).prepare()
}

// prepare makes what is there before the first Tailnet: the taps, Headscale's
// certificate and the bootstrap key.
func (p *place) prepare() *place {
	p.Helper()
	p.tailnet, p.dir = p.namespace, p.TempDir()
	p.tap = tap.New(tap.Options{Kill: p.kill, Judge: func(w tap.Write) tap.Cut {
		if judge := p.judge.Load(); judge != nil {
			return (*judge)(w)
		}
		return tap.Pass
	}})
	p.apiServer = p.tapAPIServer()
	p.headscale = p.listen(tap.Server{Name: theHeadscale, URL: lab.HeadscaleURL, Transport: faulty{p, p.Lab.HeadscaleClient().Transport}})
	p.Cleanup(p.leave)
	p.create(&corev1.ConfigMap{ObjectMeta: p.meta("headscale-ca"), Data: map[string]string{"ca.crt": string(p.Lab.Tailnet.CA())}})
	p.create(&corev1.Secret{ObjectMeta: p.meta("headscale-bootstrap"), StringData: map[string]string{"apikey": shared.bootstrap}})
	return p
}

// leave ends the minter, which nothing may have been forbidden.
func (p *place) leave() {
	p.kill()
	if list := p.forbidden.all(); len(list) > 0 {
		p.Errorf("the minter was forbidden %v", list)
	}
	p.Logf("%s: %d writes, and reads of Headscale: %v", p.namespace, len(p.tap.Writes()), p.asked())
	if p.Failed() {
		p.Logf("the minter of %s says:\n%s", p.namespace, p.said())
	}
}

// asked counts what Headscale was asked for, by the beginning of its path: it is what
// these tests cost most.
func (p *place) asked() map[string]int {
	count := map[string]int{}
	for _, w := range p.tap.Writes() {
		for _, read := range w.Reads {
			if parts := strings.Split(read, "/"); !strings.HasPrefix(read, "/apis/") && !slices.Contains(parts, "namespaces") {
				count[strings.Join(parts[:min(len(parts), 4)], "/")]++
			}
		}
	}
	return count
}

// tapAPIServer is a way to the API server with the minter's identity. Events decide
// nothing.
func (p *place) tapAPIServer() string {
	p.Helper()
	config, err := p.Lab.Access.Config(labtest.MinterAccount(p.namespace))
	if err != nil {
		p.Fatal(err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		p.Fatal(err)
	}
	p.forbidden.next = transport
	return p.listen(tap.Server{Name: theAPIServer, URL: config.Host, Transport: &p.forbidden, Quiet: func(_, path string) bool {
		return slices.Contains(strings.Split(path, "/"), "events")
	}})
}

func (p *place) listen(s tap.Server) string {
	p.Helper()
	url, shut, err := p.tap.Listen(s)
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() {
		if err := shut(); err != nil {
			p.Error(err)
		}
	})
	return url
}

func (p *place) meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: p.namespace}
}

func (p *place) create(o client.Object) {
	p.Helper()
	if err := shared.admin.Create(p.Context(), o); err != nil {
		p.Fatal(err)
	}
}

// get reads an object of the namespace, or a cluster-scoped one, as an
// administrator; found is false where there is none.
func (p *place) get(ctx context.Context, name string, o client.Object) (found bool, err error) {
	key := client.ObjectKey{Name: name, Namespace: p.namespace}
	switch o.(type) {
	case *v1alpha1.TailnetGateway, *v1alpha1.Tailnet:
		key.Namespace = ""
	}
	err = shared.admin.Get(ctx, key, o)
	return err == nil, client.IgnoreNotFound(err)
}
