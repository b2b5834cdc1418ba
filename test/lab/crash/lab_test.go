//go:build lab && linux

package crash

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
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// theLab is the one lab of all tests here.
var theLab *lab.Lab

// lanes is how many gateways are made side by side. Each of them mostly waits: for a
// Pod, for Headscale, for a state Secret to be old enough.
const lanes = "6"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", lanes); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	labtest.Main(m, lab.Options{Parts: []lab.Part{lab.Node, lab.Headscale}}, &theLab)
}

// world is the lab with CRDs and policies in it.
func world(t *testing.T) *labtest.World {
	t.Helper()
	w := labtest.New(t, theLab)
	install.Do(func() { installIn(w) })
	if shared.admin == nil {
		t.Fatal("the lab could not be prepared")
	}
	return w
}

// shared is what all tests use.
var shared struct {
	admin     client.Client // of cluster administrators
	headscale *labtest.REST
	bootstrap string // the API key that the user brings
	deploy    string // minter/deploy without its Deployment, for the namespace deployed
}

var install sync.Once

// maxPlaces is how many operator namespaces the policies are installed for.
const maxPlaces = 80

func namespaceName(n int) string { return fmt.Sprintf("op-%d", n) }

func installIn(w *labtest.World) {
	w.Helper()
	w.Must(apiserver.Admin, "", "apply", "--server-side", "-k", w.Source("renderer/crd"))
	w.Must(apiserver.Admin, "", "wait", "--for=condition=Established", "crd", "--all", "--timeout="+labtest.Deadline.String())
	w.Must(apiserver.Admin, "", "apply", "--server-side", "-k", w.Layer("policies/admission", policiesLayer()))
	shared.deploy = w.Must(apiserver.Admin, "", "kustomize", w.Layer("minter/deploy", deployLayer))
	shared.headscale = w.Headscale()
	bootstrap, err := w.Lab.Tailnet.CreateAPIKey(w.Context(), "24h")
	if err != nil {
		w.Fatal(err)
	}
	shared.bootstrap = bootstrap
	awaitPolicies(w)
	shared.admin = w.Typed(apiserver.Admin)
}

// policiesLayer lets the policies apply to the namespaces of the tests, as
// docs/binding.md says.
func policiesLayer() string {
	names := make([]string, maxPlaces)
	for i := range names {
		names[i] = namespaceName(i)
	}
	return `
patches:
- target: {kind: (Mutating|Validating)AdmissionPolicyBinding}
  patch: |-
    - op: replace
      path: /spec/matchResources/namespaceSelector/matchExpressions/0/values
      value: [` + strings.Join(names, ", ") + `]
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

// awaitPolicies waits until the API server goes by the policies.
func awaitPolicies(w *labtest.World) {
	w.Helper()
	tailnets := w.Dynamic(apiserver.Minter(namespaceName(0))).Resource(schema.GroupVersionResource{Group: api.Group, Version: api.Version, Resource: "tailnets"})
	probe := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": api.APIVersion, "kind": api.KindTailnet, "metadata": map[string]any{"name": "probe"},
		"spec": map[string]any{"controlURL": lab.HeadscaleURL},
	}}
	w.Await("the policies are in force", func(ctx context.Context) error {
		_, err := tailnets.Create(ctx, probe, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil || !strings.Contains(err.Error(), "'tsunaro-custom-resources'") {
			return fmt.Errorf("a minter may create a Tailnet: %v", err)
		}
		return nil
	})
}
