//go:build lab && linux

package blocked

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// The operator namespaces, each with a minter of its own.
const (
	guarded = api.DefaultOperatorNamespace // where the admission policies apply
	free    = "tsunaro-free"               // where none does
)

// Ports of the minters' metrics.
const (
	guardedMetrics = 8091
	freeMetrics    = 8092
)

// lanes is how many gateways are looked at side by side: each of them mostly waits.
const lanes = "16"

// theLab is the one lab of all tests here.
var theLab *lab.Lab

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", lanes); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	labtest.Main(m, lab.Options{Parts: []lab.Part{lab.Node, lab.Headscale}}, &theLab)
}

// shared is what all tests use.
var shared struct {
	once      sync.Once
	ready     bool
	headscale *labtest.REST
	minters   []*labtest.Minter
	view      *view
}

// world is the lab with the product installed.
func world(t *testing.T) *labtest.World {
	t.Helper()
	w := labtest.New(t, theLab)
	t.Cleanup(func() {
		for _, m := range shared.minters {
			if t.Failed() {
				t.Log(m.Said(theLab))
			}
		}
	})
	shared.once.Do(func() { install(w) })
	if !shared.ready {
		t.Fatal("the lab could not be prepared")
	}
	return w
}

// install installs the product as README says, for two operator namespaces, and
// starts the minters.
func install(w *labtest.World) {
	w.Helper()
	w.Install()
	w.Must(apiserver.Admin, "", "create", "namespace", free)
	shared.headscale = w.Headscale()
	if _, err := w.Lab.Tailnet.CreateUser(w.Context(), person); err != nil {
		w.Fatal(err)
	}
	shared.view = watch(w)
	for _, namespace := range []string{guarded, free} {
		w.InstallMinter(namespace)
	}
	apply(w, tailnet("home", guarded, nil), hosts("home", guarded), tailnet("free", free, nil), hosts("free", free))
	awaitPolicies(w)
	// Dozens of gateways begin at once: they ask the API server as often as they like.
	for namespace, port := range map[string]int{guarded: guardedMetrics, free: freeMetrics} {
		m := w.RunMinter(namespace, port, "--enable-leader-election", "--kube-api-qps=1000", "--kube-api-burst=1000")
		shared.minters = append(shared.minters, m)
	}
	shared.ready = true
}

// person is the user at Headscale whose nodes are not the gateways'.
const person = "jane"

// awaitPolicies waits until the API server goes by the policies.
func awaitPolicies(w *labtest.World) {
	w.Helper()
	w.Await("the policies are in force", func(ctx context.Context) error {
		probe := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: api.BindingsName}}
		_, err := w.Client(apiserver.Person).CoreV1().ConfigMaps(guarded).Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil || !strings.Contains(err.Error(), "'tsunaro-records'") {
			return fmt.Errorf("a person may write the registry: %v", err)
		}
		return nil
	})
}
