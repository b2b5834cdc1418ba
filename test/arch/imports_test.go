package arch

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	module   = "tsunaro.io/gateway/"
	function = "./kustomize-plugin/tsunaro-fn"
)

// pkg is what go list tells of a package, its tests left out.
type pkg struct {
	ImportPath, Dir string
	Standard        bool
	Module          struct{ Main bool }
	GoFiles         []string
	Imports         []string
}

// list returns packages as they are for linux/amd64, so that the answer is the
// same on every machine.
func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,Standard,Module,GoFiles,Imports"}, args...)...)
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, &stderr)
	}
	var pkgs []pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return pkgs
		} else if err != nil {
			t.Fatal(err)
		}
		pkgs = append(pkgs, p)
		if p.Module.Main {
			watch(t, p)
		}
	}
}

// watch looks at the package's files itself: go test reuses a result until a
// file changes that the test, not a command that it ran, has looked at.
func watch(t *testing.T, p pkg) {
	t.Helper()
	if _, err := os.ReadDir(p.Dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range p.GoFiles {
		if _, err := os.Stat(filepath.Join(p.Dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}

// within reports whether path is a package of the tree.
func within(path, tree string) bool {
	return path == tree || strings.HasPrefix(path, strings.TrimSuffix(tree, "/")+"/")
}

// TestFunctionImports makes every package that tsunaro-fn takes in a line in
// somebody's review. UPDATE_GOLDEN=1 rewrites the list.
func TestFunctionImports(t *testing.T) {
	var paths []string
	for _, p := range list(t, "-deps", function) {
		if !p.Standard {
			paths = append(paths, p.ImportPath)
		}
	}
	slices.Sort(paths)
	got := strings.Join(paths, "\n") + "\n"
	golden := filepath.Join("testdata", "tsunaro-fn.imports")
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Fields(string(want))
	for _, p := range paths {
		if !slices.Contains(known, p) {
			t.Errorf("tsunaro-fn now imports %s: if it must, make golden adds it", p)
		}
	}
	for _, p := range known {
		if !slices.Contains(paths, p) {
			t.Errorf("tsunaro-fn no longer imports %s: make golden drops it", p)
		}
	}
}

// TestFunctionStaysSmall names what tsunaro-fn, started anew in every build,
// must not be made of.
func TestFunctionStaysSmall(t *testing.T) {
	forbidden := []struct{ tree, why string }{
		{"k8s.io/client-go", "the function talks to no cluster"},
		{"net/http", "the function talks to nobody"},
		{"crypto/tls", "the function talks to nobody"},
		{"k8s.io/api", "its types make the program several times larger, and write fields that only a server has"},
		{"k8s.io/apimachinery/pkg/apis/meta", "it brings a scheme, protobuf and reflection that run before main"},
		{"k8s.io/apimachinery/pkg/runtime/schema", "objects are documents here, not schemes"},
		{"k8s.io/kube-openapi", "reading schemas is for who checks objects, not for who writes them"},
		{"github.com/google/gnostic-models", "reading schemas is for who checks objects, not for who writes them"},
		{"github.com/google/cel-go", "the rules are Go here; CEL is for the API server"},
		{"github.com/open-policy-agent", "policies judge the rendering from outside"},
		{"sigs.k8s.io/kustomize", "a function built on kyaml starts slower: docs/performance.md measures it"},
		{"sigs.k8s.io/controller-runtime", "the function watches nothing"},
		{"google.golang.org/protobuf", "it registers types before main"},
		{module + "minter", "the minter renders too, never the other way round"},
	}
	for _, p := range list(t, "-deps", function) {
		for _, f := range forbidden {
			if within(p.ImportPath, f.tree) {
				t.Errorf("tsunaro-fn imports %s: %s", p.ImportPath, f.why)
			}
		}
	}
}

// impure are what a pure package must not import: it gets time, files and chance
// as values or not at all.
var impure = []struct{ tree, why string }{
	{"os", "environment and files"},
	{"syscall", "environment and files"},
	{"io/fs", "files"},
	{"math/rand", "chance"},
	{"crypto/rand", "chance"},
	{"runtime", "the machine"},
	{"log", "a logger"},
	{"net/http", "the network"},
	{"unsafe", "the machine"},
	{"k8s.io/client-go", "the cluster"},
	{"sigs.k8s.io/controller-runtime", "the cluster"},
	{"github.com/prometheus", "metrics"},
}

// TestRendererIsPure: the same documents are the same bytes. It knows no time at
// all.
//
// REQ: RN-01
func TestRendererIsPure(t *testing.T) {
	for _, p := range list(t, "./renderer/...") {
		checkPure(t, p)
		if slices.Contains(p.Imports, "time") {
			t.Errorf("%s imports time: the clock", p.ImportPath)
		}
	}
}

// TestDecisionsArePure: what the minter decides is a function of values. It may
// hold times, and must not ask for one.
func TestDecisionsArePure(t *testing.T) {
	for _, p := range list(t, "./minter/...") {
		if !slices.Contains(minterPure, strings.TrimPrefix(p.ImportPath, module)) {
			continue
		}
		checkPure(t, p)
		checkNoClock(t, p)
	}
}

// checkNoClock: a package may hold times, and must not ask for one.
func checkNoClock(t *testing.T, p pkg) {
	t.Helper()
	for _, name := range p.GoFiles {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, clock := range []string{"time.Now(", "time.Since(", "time.Until(", "time.After", "time.Sleep(", "time.NewTi", "time.Tick(", "metav1.Now("} {
			if bytes.Contains(source, []byte(clock)) {
				t.Errorf("%s/%s has %s: the clock", p.ImportPath, name, clock)
			}
		}
	}
}

// TestHealthIsPure: a verdict is a function of an object, and knows no time at all.
//
// REQ: ST-05
func TestHealthIsPure(t *testing.T) {
	for _, p := range list(t, "./health") {
		checkPure(t, p)
		for _, i := range p.Imports {
			if own := within(i, module[:len(module)-1]); i == "time" || own && !within(i, module+"renderer/api") {
				t.Errorf("%s imports %s", p.ImportPath, i)
			}
		}
	}
}

// TestViewIsPure: what a person sees is a function of what was read, and when.
func TestViewIsPure(t *testing.T) {
	for _, p := range list(t, "./health/view", "./internal/terminal") {
		checkPure(t, p)
		checkNoClock(t, p)
	}
}

func checkPure(t *testing.T, p pkg) {
	t.Helper()
	for _, i := range p.Imports {
		for _, f := range impure {
			// A secret says how it is logged.
			if within(i, f.tree) && !(i == "log/slog" && p.ImportPath == module+"minter/sealed") {
				t.Errorf("%s imports %s: %s", p.ImportPath, i, f.why)
			}
		}
		if i == "net" { // net/netip is addresses without a network
			t.Errorf("%s imports %s: the network", p.ImportPath, i)
		}
	}
}

// rendererOrder is that of the renderer's packages: each may import only those
// before it, and nothing else of this module.
var rendererOrder = []string{
	"renderer/api",
	"renderer/api/v1alpha1",
	"renderer/crd",
	"renderer/digest",
	"renderer/rules",
	"renderer/document",
	"renderer/model",
	"renderer/admit",
	"renderer/zone",
	"renderer/plan",
	"renderer/objects",
	"renderer",
}

// The minter's packages, likewise: what it decides, then what it does. Beside
// them they may import the renderer.
var (
	minterPure = []string{
		"minter/sealed",
		"minter/expiry",
		"minter/node",
		"minter/registry",
		"minter/receipt",
		"minter/mint",
		"minter/proof",
		"minter/verify",
		"minter/observe",
		"minter/tailnet",
		"minter/verdict",
		"minter/rewrite",
		"minter/livedns",
		"minter/concern",
		"minter/teardown",
		"minter/report",
	}
	minterOrder = append(slices.Clone(minterPure),
		"minter/headscale",
		"minter/kube",
		"minter/metrics",
		"minter/controller/tailnets",
		"minter/controller/gateway",
		"minter/controller",
		"minter/cmd/tsunaro-minter",
		"minter/deploy",
		"minter/monitoring",
	)
)

// REQ: RN-01
func TestImportsOneWay(t *testing.T) {
	oneWay(t, "renderer", rendererOrder, "")
	oneWay(t, "minter", minterOrder, "renderer")
}

func oneWay(t *testing.T, tree string, order []string, below string) {
	t.Helper()
	for _, p := range list(t, "./"+tree+"/...") {
		path := strings.TrimPrefix(p.ImportPath, module)
		place := slices.Index(order, path)
		if place < 0 {
			t.Errorf("%s has no place in the order: give it one", path)
			continue
		}
		for _, i := range p.Imports {
			own, ok := strings.CutPrefix(i, module)
			if ok && !slices.Contains(order[:place], own) && (below == "" || !within(own, below)) {
				t.Errorf("%s imports %s, which does not come before it", path, own)
			}
		}
	}
}
