package labtest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/process"
	"tsunaro.io/gateway/test/testbed/tap"
	"tsunaro.io/gateway/test/testbed/tool"
)

// Tapped are minters of an operator namespace, which the test has made with their
// rights, and a tap between them and their servers. They are processes of the machine.
type Tapped struct {
	*World
	Namespace    string
	Admin        client.Client // of an administrator
	Tap          *tap.Tap
	HeadscaleURL string // for the minters: the tap's
	apiServer    string
	dir          string

	mu      sync.Mutex // a tap kills at any time
	minters []*process.Process
	logs    []string
}

// Names of the servers behind a tap.
const (
	TheAPIServer = "API server"
	TheHeadscale = "Headscale"
)

// Ways are what a test puts between minters and servers.
type Ways struct {
	Judge     func(tap.Write) tap.Cut // nil: all pass
	Together  bool                    // writes may overtake each other
	APIServer func(http.RoundTripper) http.RoundTripper
	Headscale func(http.RoundTripper) http.RoundTripper // of the usual way; nil is that
}

// Tap makes taps for an operator namespace. Minters that run at the end of the test are
// killed, and what they have logged is told if it has failed.
func (w *World) Tap(namespace string, admin client.Client, ways Ways) *Tapped {
	w.Helper()
	t := &Tapped{World: w, Namespace: namespace, Admin: admin, dir: w.TempDir()}
	t.Tap = tap.New(tap.Options{Judge: ways.Judge, Kill: t.Kill, Together: ways.Together})
	config, err := w.Lab.Access.Config(MinterAccount(namespace))
	if err != nil {
		w.Fatal(err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		w.Fatal(err)
	}
	t.apiServer = t.Tap.Serve(w, tap.Server{
		Name: TheAPIServer, URL: config.Host, Transport: by(ways.APIServer, transport),
		Quiet: func(_, path string) bool { // events and leases decide nothing
			parts := strings.Split(path, "/")
			return slices.Contains(parts, "events") || slices.Contains(parts, "leases")
		},
	})
	t.HeadscaleURL = t.Tap.Serve(w, tap.Server{Name: TheHeadscale, URL: lab.HeadscaleURL, Transport: by(ways.Headscale, w.Lab.HeadscaleClient().Transport)})
	w.Cleanup(func() {
		t.Kill()
		if w.Failed() {
			w.Logf("the minters of %s say:\n%s", namespace, t.Said())
		}
	})
	return t
}

func by(way func(http.RoundTripper) http.RoundTripper, usual http.RoundTripper) http.RoundTripper {
	if way == nil {
		return usual
	}
	return way(usual)
}

// minterProgram is one and the same for all of a test: whether it has to be built is
// looked up once.
var minterProgram = sync.OnceValues(func() (string, error) { return tool.Path(tool.MinterName) })

// Start starts a minter, with further arguments.
func (t *Tapped) Start(more ...string) {
	t.Helper()
	program, err := minterProgram()
	if err != nil {
		t.Fatal(err)
	}
	b, err := yaml.Marshal(Object{
		"apiVersion": "v1", "kind": "Config", "current-context": "tap",
		"clusters": []any{Object{"name": "tap", "cluster": Object{"server": t.apiServer}}},
		"contexts": []any{Object{"name": "tap", "context": Object{"cluster": "tap"}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, b, 0o600); err != nil {
		t.Fatal(err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	file := filepath.Join(t.dir, fmt.Sprintf("log-%d", len(t.logs)))
	m, err := process.StartApart(process.Command{
		Path: program, Dir: t.dir, Log: file, Env: []string{"HOME=" + t.dir, "KUBECONFIG=" + kubeconfig},
		Args: append([]string{"--namespace=" + t.Namespace, "--metrics-addr=0", "--health-addr=0"}, more...),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.minters, t.logs = append(t.minters, m), append(t.logs, file)
}

// Minters are all that were started.
func (t *Tapped) Minters() []*process.Process {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.minters)
}

// Kill ends all minters at once.
func (t *Tapped) Kill() {
	for _, m := range t.Minters() {
		m.Kill()
	}
}

// Again starts another minter after the last one was killed by the tap.
func (t *Tapped) Again(more ...string) {
	t.Helper()
	t.Tap.Revive()
	t.Start(more...)
}

// Said is everything that the minters have logged.
func (t *Tapped) Said() []byte {
	t.Helper()
	var all []byte
	for _, file := range t.logs {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	return all
}

// Background runs something until the test ends.
func (t *Tapped) Background(run func(context.Context)) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		run(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-done
	})
}

// Bring makes what a user brings: Headscale's certificate, and the bootstrap key.
func (t *Tapped) Bring(bootstrap string) {
	t.Helper()
	for _, o := range []client.Object{
		&corev1.ConfigMap{ObjectMeta: t.Meta("headscale-ca"), Data: map[string]string{"ca.crt": string(t.Lab.Tailnet.CA())}},
		&corev1.Secret{ObjectMeta: t.Meta("headscale-bootstrap"), StringData: map[string]string{"apikey": bootstrap}},
	} {
		t.Create(o)
	}
}

// Create makes an object as an administrator.
func (t *Tapped) Create(o client.Object) {
	t.Helper()
	if err := t.Admin.Create(t.Context(), o); err != nil {
		t.Fatal(err)
	}
}

// Meta is that of an object in the namespace.
func (t *Tapped) Meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: t.Namespace}
}

// Find reads an object of the namespace, or a cluster-scoped one, as an administrator;
// found is false where there is none.
func (t *Tapped) Find(ctx context.Context, name string, o client.Object) (found bool, err error) {
	key := client.ObjectKey{Name: name, Namespace: t.Namespace}
	switch o.(type) {
	case *v1alpha1.TailnetGateway, *v1alpha1.Tailnet:
		key.Namespace = ""
	}
	err = t.Admin.Get(ctx, key, o)
	return err == nil, client.IgnoreNotFound(err)
}

// Typed is a client for an identity that knows the product's kinds.
func (w *World) Typed(id apiserver.Identity) client.Client {
	w.Helper()
	config, err := w.Lab.Access.Config(id)
	if err != nil {
		w.Fatal(err)
	}
	scheme, err := kube.Scheme()
	if err != nil {
		w.Fatal(err)
	}
	log.SetLogger(logr.Discard()) // the client's own, which is asked for otherwise
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		w.Fatal(err)
	}
	return c
}

// OfAnother reports whether a write is the status of another gateway than the one of a
// name. A minter may have something to say of it at any time: also of one of another
// namespace, while that is cleared away and its Tailnet is gone first.
func OfAnother(w tap.Write, name string) bool {
	const gateways = "/apis/" + api.Group + "/" + api.Version + "/tailnetgateways/"
	rest, ok := strings.CutPrefix(w.Path, gateways)
	whose, ofStatus := strings.CutSuffix(rest, "/status")
	return ok && ofStatus && whose != name
}

// Names of writes of a status.
const (
	OnStatus  = "Status "  // and the reason that it gives for Ready
	OnTailnet = "Tailnet " // before those about a Tailnet
)

// NameStatus names a write of a status with these conditions, after whose it is. One of
// another kind is named by its request.
func NameStatus(w tap.Write, conditions []metav1.Condition, whose string) string {
	c := apimeta.FindStatusCondition(conditions, api.ConditionReady)
	if w.Method != http.MethodPut || !strings.HasSuffix(w.Path, "/status") || c == nil {
		return w.Method + " " + w.Path
	}
	return whose + OnStatus + c.Reason
}

// Decode reads an object as a minter sends it: the built-in kinds travel in protobuf.
func Decode(body []byte) (runtime.Object, error) {
	scheme, err := kube.Scheme()
	if err != nil {
		return nil, err
	}
	o, _, err := serializer.NewCodecFactory(scheme).UniversalDeserializer().Decode(body, nil, nil)
	return o, err
}
