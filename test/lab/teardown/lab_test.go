//go:build lab && linux

package teardown

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tool"
)

// theLab is the one lab of all tests here.
var theLab *lab.Lab

// lanes is how many tests run side by side: each mostly waits.
const lanes = "4"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", lanes); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	labtest.Main(m, lab.Options{}, &theLab)
}

// shared is what all tests use.
var shared struct {
	once      sync.Once
	ready     bool
	admin     client.Client // of cluster administrators
	person    client.Client // of who deletes, and takes back
	headscale *labtest.REST
	bootstrap string // the API key that the user brings
	tailscale string // tailscaled
}

// world is the lab with CRDs, policies and the minter's rights in it.
func world(t *testing.T) *labtest.World {
	t.Helper()
	w := labtest.New(t, theLab)
	shared.once.Do(func() { install(w) })
	if !shared.ready {
		t.Fatal("the lab could not be prepared")
	}
	return w
}

func install(w *labtest.World) {
	w.Helper()
	w.Must(apiserver.Admin, "", "apply", "--server-side", "-k", w.Source("renderer/crd"))
	w.Must(apiserver.Admin, "", "wait", "--for=condition=Established", "crd", "--all", "--timeout="+labtest.Deadline.String())
	w.Must(apiserver.Admin, "", "apply", "--server-side", "-k", w.Layer("policies/admission", policiesLayer()))
	w.Must(apiserver.Admin, deployments(w), "apply", "--server-side", "-f", "-")
	shared.headscale = w.Headscale()
	var err error
	if shared.tailscale, err = tool.Path("tailscaled"); err != nil {
		w.Fatal(err)
	}
	if shared.bootstrap, err = w.Lab.Tailnet.CreateAPIKey(w.Context(), "24h"); err != nil {
		w.Fatal(err)
	}
	shared.admin, shared.person = w.Typed(apiserver.Admin), w.Typed(apiserver.Person)
	awaitPolicies(w)
	shared.ready = true
}

// Operator namespaces. Policies apply in the guarded ones; in the free ones none
// does, so that a test can bring about what admission refuses.
const (
	maxGuarded = 12
	maxFree    = 4
)

func guarded(n int) string { return fmt.Sprintf("guarded-%d", n) }
func free(n int) string    { return fmt.Sprintf("free-%d", n) }

// namespaces are n names.
func namespaces(n int, name func(int) string) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = name(i)
	}
	return all
}

// policiesLayer lets the policies apply to the guarded namespaces, as
// docs/binding.md says.
func policiesLayer() string {
	return `
patches:
- target: {kind: (Mutating|Validating)AdmissionPolicyBinding}
  patch: |-
    - op: replace
      path: /spec/matchResources/namespaceSelector/matchExpressions/0/values
      value: [` + strings.Join(namespaces(maxGuarded, guarded), ", ") + `]
`
}

// deployed is the namespace that deployLayer puts the minter in.
const deployed = "op-n"

// deployLayer is a minter for another namespace, as docs/minter.md has it, without
// the Deployment: the tests start the program themselves.
const deployLayer = `
namespace: ` + deployed + `
patches:
- target: {kind: ClusterRole.*}
  patch: |-
    - {op: replace, path: /metadata/name, value: tsunaro-minter-` + deployed + `}
- patch: |-
    {apiVersion: apps/v1, kind: Deployment, metadata: {name: tsunaro-minter, namespace: tsunaro-system}, $patch: delete}
- patch: |-
    {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: tsunaro-minter, namespace: tsunaro-system}, $patch: delete}
`

// deployments are the namespaces with the minter's rights in them.
func deployments(w *labtest.World) string {
	w.Helper()
	one := w.Must(apiserver.Admin, "", "kustomize", w.Layer("minter/deploy", deployLayer))
	var all strings.Builder
	for _, name := range append(namespaces(maxGuarded, guarded), namespaces(maxFree, free)...) {
		all.WriteString("---\n" + strings.ReplaceAll(one, deployed, name))
	}
	return all.String()
}

// awaitPolicies waits until the API server goes by the policies.
func awaitPolicies(w *labtest.World) {
	w.Helper()
	tailnets := w.Resource(apiserver.Minter(guarded(0)), api.KindTailnet, "")
	probe := &unstructured.Unstructured{Object: labtest.Object{
		"apiVersion": api.APIVersion, "kind": api.KindTailnet, "metadata": labtest.Object{"name": "probe"},
		"spec": labtest.Object{"controlURL": lab.HeadscaleURL},
	}}
	w.Await("the policies are in force", func(ctx context.Context) error {
		_, err := tailnets.Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil || !strings.Contains(err.Error(), "'tsunaro-custom-resources'") {
			return fmt.Errorf("a minter may create a Tailnet: %v", err)
		}
		return nil
	})
}
