package tool

import (
	"fmt"
	"strings"
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
