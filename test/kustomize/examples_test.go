package kustomize_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

const examplesDir = "../../examples"

// example is a directory under examples that kustomize can build.
type example struct {
	expected string   // what the build is held against, below the directory
	rendered []string // the gateways whose nine are in the build
	crs      bool     // the CRs are in the build
	inputs   []string // for check-render; none: the function is not in it
}

const built = "expected/build.yaml"

// examples lists every directory with a kustomization file, and no other.
var examples = map[string]example{
	"home-lab":                 {built, []string{"lab-gw"}, true, []string{"home-lab"}},
	"egress-routes":            {built, []string{"edge"}, true, []string{"egress-routes"}},
	"several-gateways":         {built, nil, true, nil},
	"several-gateways/tailnet": {"", nil, true, nil},
	"several-gateways/render":  {"", nil, false, nil},
	"several-gateways/cellar":  {built, []string{"cellar"}, false, []string{"several-gateways/tailnet", "several-gateways/cellar"}},
	"several-gateways/attic":   {built, []string{"attic"}, false, []string{"several-gateways/tailnet", "several-gateways/attic"}},
	"flux/cluster":             {"", nil, false, nil},
	"flux/inputs":              {"", nil, true, nil},
	"flux/render":              {"../rendered/lab-gw.yaml", []string{"lab-gw"}, false, []string{"flux/inputs"}},
	"flux/rendered":            {"lab-gw.yaml", []string{"lab-gw"}, false, nil},
	"argocd/gateway":           {built, []string{"lab-gw"}, true, []string{"argocd/gateway"}},
}

// Each example builds with the real kustomize to its reviewed output, holds nine
// objects of each of its gateways, and passes check-render.
//
// REQ: RN-02, RN-10, RN-13, UP-09
func TestExamples(t *testing.T) {
	kustomize.Same(t, layers(t), slices.Collect(maps.Keys(examples)))
	emits := map[bool]int{}
	for name, e := range examples {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(examplesDir, name)
			build := kustomize.Build(t, dir).Must(t)
			if e.expected != "" {
				golden(t, filepath.Join(dir, e.expected), build.Stdout)
			}
			objects := kustomize.Parse(t, build.Stdout)
			nines := map[string]int{}
			for _, o := range objects.Rendered() {
				gateway, _ := kustomize.At(o, "metadata.labels[tsunaro.io/gateway]")
				nines[gateway.(string)]++
			}
			for _, gateway := range e.rendered {
				if nines[gateway] != 9 {
					t.Errorf("%d objects of %s, want 9", nines[gateway], gateway)
				}
			}
			if len(nines) != len(e.rendered) {
				t.Errorf("objects of %v, want %v", nines, e.rendered)
			}
			_, crs := objects["Tailnet/home"]
			if crs != e.crs {
				t.Errorf("CRs in the build: %v, want %v", crs, e.crs)
			}
			if len(e.inputs) == 0 {
				return
			}
			emits[crs]++
			var inputs []string
			for _, in := range e.inputs {
				inputs = append(inputs, filepath.Join(examplesDir, in))
			}
			if check := kustomize.Check(t, build.Stdout, inputs...); check.Code != 0 {
				t.Errorf("check-render: exit code %d:\n%s%s", check.Code, check.Stdout, check.Stderr)
			}
		})
	}
	if emits[true] < 2 || emits[false] < 2 {
		t.Errorf("%d examples emit all and %d the resources only, want 2 of each", emits[true], emits[false])
	}
}

// layers lists the directories under examples with a kustomization file.
func layers(t *testing.T) []string {
	t.Helper()
	var dirs []string
	err := fs.WalkDir(os.DirFS(examplesDir), ".", func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == "kustomization.yaml" {
			dirs = append(dirs, filepath.ToSlash(filepath.Dir(path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return dirs
}

// Step one of an example needs no function: `kubectl apply -k`, and Flux, have
// none.
func TestWithoutFunction(t *testing.T) {
	for _, name := range []string{"several-gateways", "flux/inputs", "flux/rendered"} {
		dir := filepath.Join(examplesDir, name)
		plain := kustomize.Kustomize(t, kustomize.Cmd{Args: []string{"build", dir}}).Must(t)
		if plain.Stdout != kustomize.Build(t, dir).Must(t).Stdout {
			t.Errorf("%s: without plugins something else comes out", name)
		}
	}
}

// The gateways of one Tailnet are built one by one, and conflicts among them are
// seen where they are read together, as the example's README says.
func TestSeveralTogether(t *testing.T) {
	dir := filepath.Join(examplesDir, "several-gateways")
	together := kustomize.Function(t, kustomize.Cmd{Dir: dir, Args: []string{"render", "tailnet", "cellar", "attic"}}).Must(t)
	if n := len(kustomize.Parse(t, together.Stdout)); n != 18 {
		t.Errorf("%d objects, want 18", n)
	}
	clash := kustomize.Layer{"attic.yaml": strings.NewReplacer("10.99.1.", "10.99.0.").Replace(read(t, dir, "attic/gateway.yaml"))}.Write(t)
	kustomize.Function(t, kustomize.Cmd{Dir: dir, Args: []string{"render", "tailnet", "cellar", clash}}).
		Refused(t, "address-conflict TailnetGateway/cellar spec.loadBalancerIP")
}

// What egress-routes' comments say of its routes.
//
// REQ: RN-07
func TestEgressRoutes(t *testing.T) {
	build := kustomize.Build(t, filepath.Join(examplesDir, "egress-routes")).Must(t)
	sts := kustomize.Parse(t, build.Stdout)["StatefulSet/tsunaro-system/edge"]
	const want = "10.99.0.0/24,192.168.10.0/24,192.168.10.7/32,203.0.113.20/32,203.0.113.21/32"
	if got := env(t, sts, "TS_ROUTES"); got != want {
		t.Errorf("TS_ROUTES is %s, want %s", got, want)
	}
	if !strings.Contains(build.Stderr, "TailnetEgress/tsunaro-system/nas: spec.targets: lies inside another route") {
		t.Errorf("no warning of the target inside the LAN:\n%s", build.Stderr)
	}
}

func env(t *testing.T, statefulSet any, name string) any {
	t.Helper()
	list, _ := kustomize.At(kustomize.Container(t, statefulSet, "tailscale"), "env")
	for _, e := range list.([]any) {
		if n, _ := kustomize.At(e, "name"); n == name {
			value, _ := kustomize.At(e, "value")
			return value
		}
	}
	t.Fatalf("no variable %s", name)
	return nil
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
