package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// The product's own programs: the KRM function and the command line for kubectl.
// Path builds them like the tools.
const (
	FunctionName = "tsunaro-fn"
	KubectlName  = "kubectl-tsunaro"
)

// own are the packages of the product's programs.
var own = map[string]string{
	FunctionName: "./kustomize-plugin/" + FunctionName,
	KubectlName:  "./health/cmd/" + KubectlName,
}

// program is one executable that a module under test/tools gives.
type program struct {
	name   string // of the executable
	module string // directory under test/tools
	pkg    string // a tool directive of that module, or a package of its own

	tags  string                      // build tags, separated by commas
	stamp func(version string) string // linker flags that write the pinned version into the program; may be nil
}

var programs = []program{
	{name: "conftest", module: "conftest", pkg: "github.com/open-policy-agent/conftest"},
	{name: "controller-gen", module: "controller-gen", pkg: "sigs.k8s.io/controller-tools/cmd/controller-gen"},
	{name: "coredns", module: "coredns", pkg: "github.com/coredns/coredns"},
	{name: "empty", module: "peers", pkg: "./empty"},
	{name: "etcd", module: "etcd", pkg: "go.etcd.io/etcd/server/v3"},
	{name: "govulncheck", module: "govulncheck", pkg: "golang.org/x/vuln/cmd/govulncheck"},
	{name: "headscale", module: "headscale", pkg: "github.com/juanfont/headscale/cmd/headscale"},
	kubernetes("kube-apiserver", "1.34"),
	kubernetes("kube-apiserver", "1.36"),
	kubernetes("kube-apiserver", "1.37"),
	kubernetes("kube-controller-manager", "1.36"),
	kubernetes("kubectl", "1.34"),
	kubernetes("kubectl", "1.36"),
	kubernetes("kubectl", "1.37"),
	{name: "kustomize", module: "kustomize", pkg: "sigs.k8s.io/kustomize/kustomize/v5"},
	{name: "kyaml-noop", module: "peers", pkg: "./kyaml-noop"},
	{name: "opa", module: "opa", pkg: "github.com/open-policy-agent/opa"},
	{name: "staticcheck", module: "staticcheck", pkg: "honnef.co/go/tools/cmd/staticcheck"},
}

// kubernetes is a component of one minor version. Its name is that of the
// executable and the minor: kubectl-1.36.
func kubernetes(component, minor string) program {
	return program{
		name: component + "-" + minor, module: "kubernetes-" + minor, pkg: "k8s.io/kubernetes/cmd/" + component,
		tags: "providerless", stamp: stampKubernetes,
	}
}

// stampKubernetes lets a component know its own version: unstamped ones say
// v0.0.0-master and kubectl then cannot tell how far client and server are apart.
func stampKubernetes(version string) string {
	const pkg = "k8s.io/component-base/version"
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	return fmt.Sprintf("-X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=%[3]s -X %[1]s.gitMinor=%[4]s -X %[1]s.gitTreeState=clean",
		pkg, version, parts[0], parts[1])
}

// Path returns the absolute path of a pinned tool, or of one of the product's own
// programs, for this machine. It builds the program first where the cache does
// not hold it, and says so on stderr.
func Path(name string) (string, error) {
	b, err := current()
	if err != nil {
		return "", err
	}
	if _, ok := own[name]; ok {
		return b.product(name, b.hostOS, b.hostArch)
	}
	i := slices.IndexFunc(programs, func(p program) bool { return p.name == name })
	if i < 0 {
		return "", fmt.Errorf("no tool %q: test/tools has %s", name, strings.Join(Names(), ", "))
	}
	return b.tool(programs[i])
}

// Function returns the absolute path of the product's tsunaro-fn for the target,
// built from the sources as they are now.
func Function(goos, goarch string) (string, error) {
	b, err := current()
	if err != nil {
		return "", err
	}
	return b.product(FunctionName, goos, goarch)
}

// Names lists the pinned tools in order.
func Names() []string {
	names := make([]string, len(programs))
	for i, p := range programs {
		names[i] = p.name
	}
	return names
}

// Status is one line of List.
type Status struct {
	Name    string
	Version string // of the module that the program comes from; "" for our own source
	Built   bool
}

// List tells what is pinned and what the cache holds. It builds nothing.
func List() ([]Status, error) {
	b, err := current()
	if err != nil {
		return nil, err
	}
	var list []Status
	for _, p := range programs {
		r, err := b.toolRecipe(p)
		if err != nil {
			return nil, err
		}
		version, err := pinned(r.dir, p.pkg)
		if err != nil {
			return nil, err
		}
		path, err := b.path(r)
		if err != nil {
			return nil, err
		}
		_, err = os.Stat(path)
		list = append(list, Status{p.name, version, err == nil})
	}
	return list, nil
}

// current is the builder for the module that the process runs in.
var current = sync.OnceValues(func() (*builder, error) {
	out, err := run("", nil, "env", "GOMOD", "GOVERSION", "GOHOSTOS", "GOHOSTARCH")
	if err != nil {
		return nil, err
	}
	env := strings.Split(string(out), "\n")
	if filepath.Base(env[0]) != "go.mod" {
		return nil, fmt.Errorf("run this inside the source tree: no go.mod found from here upwards")
	}
	cache := os.Getenv("TSUNARO_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no cache directory (set TSUNARO_CACHE): %w", err)
		}
		cache = filepath.Join(user, "tsunaro-gateway")
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return nil, err
	}
	return &builder{
		root:      filepath.Dir(env[0]),
		cache:     filepath.Join(cache, "tools"),
		goVersion: env[1],
		hostOS:    env[2],
		hostArch:  env[3],
		log:       os.Stderr,
		live:      isTerminal(os.Stderr),
	}, nil
})

// pinned returns the version of the module in dir's go.mod that holds pkg.
func pinned(dir, pkg string) (string, error) {
	out, err := run(dir, nil, "mod", "edit", "-json")
	if err != nil {
		return "", err
	}
	var mod struct {
		Require []struct{ Path, Version string }
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		return "", err
	}
	var path, version string
	for _, r := range mod.Require {
		if within(pkg, r.Path) && len(r.Path) > len(path) {
			path, version = r.Path, r.Version
		}
	}
	return version, nil
}

func within(pkg, module string) bool {
	return pkg == module || strings.HasPrefix(pkg, module+"/")
}

// run runs the go command in dir with additions to the environment and returns
// what it wrote to stdout. The error holds what it said.
func run(dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.Bytes())
	}
	return out, nil
}
