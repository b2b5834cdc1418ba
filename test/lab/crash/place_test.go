//go:build lab && linux

package crash

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/process"
	"tsunaro.io/gateway/test/testbed/tap"
)

// place is an operator namespace with a Tailnet, and a tap between its minters and
// the servers.
type place struct {
	*labtest.World
	namespace, tailnet string
	dir                string

	tap       *tap.Tap
	apiServer string // URLs of the tap
	headscale string
	minters   []*process.Process
	logs      []string
}

// places counts them: each has a number of its own.
var places atomic.Int32

// Names of the servers behind a tap.
const (
	theAPIServer = "API server"
	theHeadscale = "Headscale"
)

// between is what a place puts between its minters and the servers.
type between struct {
	judge    func(tap.Write) tap.Cut
	together bool // writes may overtake each other
	// headscale is the way to Headscale, given the usual one; nil is that.
	headscale func(http.RoundTripper) http.RoundTripper
}

// newPlace makes a place with the minter's rights, and without a minter.
func newPlace(w *labtest.World, b between) *place {
	w.Helper()
	n := int(places.Add(1)) - 1
	if n >= maxPlaces {
		w.Fatalf("more than %d places", maxPlaces)
	}
	p := &place{World: w, namespace: namespaceName(n), tailnet: fmt.Sprintf("tailnet-%d", n), dir: w.TempDir()}
	p.tap = tap.New(tap.Options{Judge: b.judge, Kill: p.kill, Together: b.together})
	p.apiServer = p.tapAPIServer()
	transport := w.Lab.HeadscaleClient().Transport
	if b.headscale != nil {
		transport = b.headscale(transport)
	}
	p.headscale = p.listen(tap.Server{Name: theHeadscale, URL: lab.HeadscaleURL, Transport: transport})
	p.Cleanup(p.tellLogs)
	p.Cleanup(p.clear)
	p.prepare()
	return p
}

// tapAPIServer is a way to the API server with the minter's identity. Events and
// leases decide nothing.
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
	return p.listen(tap.Server{Name: theAPIServer, URL: config.Host, Transport: transport, Quiet: func(_, path string) bool {
		parts := strings.Split(path, "/")
		return slices.Contains(parts, "events") || slices.Contains(parts, "leases")
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

// prepare makes what is there before the first Tailnet: namespace, rights,
// Headscale's certificate and the bootstrap key.
func (p *place) prepare() {
	p.Helper()
	p.Must(apiserver.Admin, strings.ReplaceAll(shared.deploy, deployed, p.namespace), "apply", "--server-side", "-f", "-")
	p.create(&corev1.ConfigMap{ObjectMeta: p.meta("headscale-ca"), Data: map[string]string{"ca.crt": string(p.Lab.Tailnet.CA())}})
	p.create(&corev1.Secret{ObjectMeta: p.meta("headscale-bootstrap"), StringData: map[string]string{"apikey": shared.bootstrap}})
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

// start starts a minter, with further arguments.
func (p *place) start(more ...string) {
	p.Helper()
	kubeconfig := filepath.Join(p.dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, p.kubeconfig(), 0o600); err != nil {
		p.Fatal(err)
	}
	log := filepath.Join(p.dir, fmt.Sprintf("log-%d", len(p.logs)))
	m, err := process.StartApart(process.Command{
		Path: shared.minter, Dir: p.dir, Log: log, Env: []string{"HOME=" + p.dir, "KUBECONFIG=" + kubeconfig},
		Args: append([]string{"--namespace=" + p.namespace, "--metrics-addr=0", "--health-addr=0"}, more...),
	})
	if err != nil {
		p.Fatal(err)
	}
	p.minters, p.logs = append(p.minters, m), append(p.logs, log)
}

func (p *place) kubeconfig() []byte {
	p.Helper()
	b, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1", "kind": "Config", "current-context": "tap",
		"clusters": []any{map[string]any{"name": "tap", "cluster": map[string]any{"server": p.apiServer}}},
		"contexts": []any{map[string]any{"name": "tap", "context": map[string]any{"cluster": "tap"}}},
	})
	if err != nil {
		p.Fatal(err)
	}
	return b
}

// patience is for anything that a test waits for on a busy machine: many wait at once.
var patience = labtest.Patience{Limit: 6 * time.Minute, Pause: 250 * time.Millisecond}

// Await is World's, with more patience and fewer questions.
func (p *place) Await(what string, holds func(context.Context) error) {
	p.Helper()
	p.AwaitWith(patience, what, holds)
}

func poll(ctx context.Context, yes func() bool) bool { return labtest.Poll(ctx, patience.Pause, yes) }

// kill ends all minters at once.
func (p *place) kill() {
	for _, m := range p.minters {
		m.Kill()
	}
}

// again starts another minter after the last one has been killed.
func (p *place) again() {
	p.Helper()
	p.tap.Revive()
	p.start()
}

// said is everything that the minters have logged.
func (p *place) said() []byte {
	p.Helper()
	var all []byte
	for _, log := range p.logs {
		b, err := os.ReadFile(log)
		if err != nil {
			p.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

func (p *place) tellLogs() {
	if p.Failed() {
		p.Logf("the minters say:\n%s", p.said())
	}
}

// clear removes what was made, so that the lab has room for the next ones. A
// namespace goes by itself in its own time.
func (p *place) clear() {
	p.kill()
	ctx, cancel := context.WithTimeout(context.Background(), labtest.Deadline) // the test's own is over
	defer cancel()
	now := client.GracePeriodSeconds(0)
	var gateways v1alpha1.TailnetGatewayList
	errs := []error{shared.admin.List(ctx, &gateways)}
	for _, g := range gateways.Items {
		if string(g.Spec.TailnetRef.Name) == p.tailnet {
			errs = append(errs, shared.admin.Delete(ctx, &g))
		}
	}
	name := api.MinterName + "-" + p.namespace
	errs = append(errs,
		shared.admin.Delete(ctx, &v1alpha1.Tailnet{ObjectMeta: metav1.ObjectMeta{Name: p.tailnet}}),
		shared.admin.Delete(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name}}),
		shared.admin.Delete(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}}),
		shared.admin.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.namespace}}),
		shared.admin.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(p.namespace), now),
	)
	for _, err := range errs {
		if err != nil && !apierrors.IsNotFound(err) {
			p.Errorf("clearing away: %v", err)
		}
	}
}
