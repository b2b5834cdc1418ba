//go:build lab && linux

package service

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// Operator namespaces, each with a minter of its own.
const (
	guarded = api.DefaultOperatorNamespace // where the admission policies apply
	free    = "tsunaro-free"               // where none does
)

// Ports of the minters' metrics.
const (
	guardedMetrics = 8091
	freeMetrics    = 8092
)

// theLab is the one lab of all tests here.
var theLab *lab.Lab

func TestMain(m *testing.M) { labtest.Main(m, lab.Options{}, &theLab) }

// shared is what all tests use.
var shared struct {
	headscale *labtest.REST
	view      *view
	minters   map[string]*labtest.Minter // by operator namespace
	home      *gateway                   // the guarded one
}

// TestService takes two gateways through everything that happens to one in service,
// and out of it. The one is examples/home-lab; the other is not guarded.
func TestService(t *testing.T) {
	w := labtest.New(t, theLab)
	t.Cleanup(func() {
		for _, m := range shared.minters {
			if t.Failed() {
				t.Log(m.Said(theLab))
			}
		}
	})
	install(w)
	home, other := homeLab(w), freeGateway(w)
	shared.home = home
	for _, phase := range []struct {
		name  string
		tests map[string]func(*testing.T)
	}{
		{"begin", map[string]func(*testing.T){"guarded": home.runs((*gateway).begin), "free": other.runs((*gateway).beginTracked)}},
		{"a change of hosts", map[string]func(*testing.T){"guarded": home.runs((*gateway).timed)}},
		{"conditions and drift", map[string]func(*testing.T){"guarded": home.runs((*gateway).conditions), "free": other.runs((*gateway).drifts)}},
		{"a thousand changes", map[string]func(*testing.T){"guarded": home.runs((*gateway).storm)}},
		{"labels and zones", map[string]func(*testing.T){"guarded": home.runs((*gateway).reapplied), "free": other.runs((*gateway).meddled)}},
		{"neighbours", map[string]func(*testing.T){"guarded": home.runs((*gateway).neighbours)}},
		{"without the minter", map[string]func(*testing.T){"guarded": home.runs((*gateway).unattended)}},
		{"the end", map[string]func(*testing.T){"guarded": home.runs((*gateway).ends), "free": other.runs((*gateway).blockedEnd)}},
	} {
		done := t.Run(phase.name, func(t *testing.T) {
			for name, try := range phase.tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					try(t)
				})
			}
		})
		if !done {
			return
		}
	}
}

// install installs the product as README says, for both operator namespaces, and
// starts the minters. The one of the free namespace is told to ask the API server as
// often as it likes: there, one drift follows another.
func install(w *labtest.World) {
	w.Helper()
	w.Install()
	w.Must(apiserver.Admin, "", "create", "namespace", free)
	shared.headscale = w.Headscale()
	shared.view = watch(w)
	for _, namespace := range []string{guarded, free} {
		w.InstallMinter(namespace)
	}
	awaitPolicies(w)
	shared.minters = map[string]*labtest.Minter{
		guarded: w.RunMinter(guarded, guardedMetrics),
		free:    w.RunMinter(free, freeMetrics, "--kube-api-qps=1000", "--kube-api-burst=1000"),
	}
}

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
