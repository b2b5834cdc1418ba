package tool

import (
	"fmt"
	"strings"
)

// The programs of this module: the KRM function, the command line for kubectl, the
// minter, the lab, and what holds the namespaces of the lab's Pods. Path builds them
// like the tools.
const (
	FunctionName = "tsunaro-fn"
	KubectlName  = "kubectl-tsunaro"
	MinterName   = "tsunaro-minter"
	LabName      = "tsunaro-lab"
	PauseName    = "pause"
)

// own are their packages.
var own = map[string]string{
	FunctionName: "./kustomize-plugin/" + FunctionName,
	KubectlName:  "./health/cmd/" + KubectlName,
	MinterName:   "./minter/cmd/" + MinterName,
	LabName:      "./test/cmd/lab",
	PauseName:    "./test/testbed/image/" + PauseName,
}

// program is one executable that a module under test/tools gives.
type program struct {
	name   string // that Path knows
	file   string // name of the executable, where that is another one
	module string // directory under test/tools
	pkg    string // a tool directive of that module, or a package of its own

	tags  string                      // build tags, separated by commas
	stamp func(version string) string // linker flags that write the pinned version into the program; may be nil
	cgo   *library                    // of C; nil for a program of Go alone
}

var programs = []program{
	{name: "argocd", module: "argocd", pkg: "github.com/argoproj/argo-cd/v3/cmd"},
	cni("bridge", "main"),
	cni("host-local", "ipam"),
	cni("loopback", "main"),
	cni("portmap", "meta"),
	{name: "conftest", module: "conftest", pkg: "github.com/open-policy-agent/conftest"},
	tailscale("containerboot"),
	containerd("containerd"),
	containerd("containerd-shim-runc-v2", "no_grpc"),
	{name: "controller-gen", module: "controller-gen", pkg: "sigs.k8s.io/controller-tools/cmd/controller-gen"},
	{name: "coredns", module: "coredns", pkg: "github.com/coredns/coredns"},
	containerd("ctr"),
	{name: "empty", module: "peers", pkg: "./empty"},
	{name: "etcd", module: "etcd", pkg: "go.etcd.io/etcd/server/v3"},
	{name: "govulncheck", module: "govulncheck", pkg: "golang.org/x/vuln/cmd/govulncheck"},
	{name: "headscale", module: "headscale", pkg: "github.com/juanfont/headscale/cmd/headscale"},
	kubernetes("kube-apiserver", "1.34"),
	kubernetes("kube-apiserver", "1.36"),
	kubernetes("kube-apiserver", "1.37"),
	kubernetes("kube-controller-manager", "1.36"),
	kubernetes("kube-proxy", "1.36"),
	kubernetes("kube-scheduler", "1.36"),
	kubernetes("kubectl", "1.34"),
	kubernetes("kubectl", "1.36"),
	kubernetes("kubectl", "1.37"),
	kubernetes("kubelet", "1.36"),
	{name: "kustomize", module: "kustomize", pkg: "sigs.k8s.io/kustomize/kustomize/v5"},
	flux("kustomize-controller"),
	{name: "kyaml-noop", module: "peers", pkg: "./kyaml-noop"},
	{name: "opa", module: "opa", pkg: "github.com/open-policy-agent/opa"},
	{name: "promtool", module: "promtool", pkg: "github.com/prometheus/prometheus/cmd/promtool", tags: "remove_all_sd"},
	runc,
	flux("source-controller"),
	{name: "staticcheck", module: "staticcheck", pkg: "honnef.co/go/tools/cmd/staticcheck"},
	tailscale("tailscale"),
	tailscale("tailscaled"),
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

// containerd is one of containerd's programs, with the build tags of its releases.
func containerd(name string, moreTags ...string) program {
	const module = "github.com/containerd/containerd/v2"
	return program{
		name: name, module: "containerd", pkg: module + "/cmd/" + name,
		tags:  strings.Join(append(moreTags, "urfave_cli_no_docs"), ","),
		stamp: func(version string) string { return "-X " + module + "/version.Version=" + version },
	}
}

// flux is one of Flux's controllers.
func flux(name string) program {
	return program{name: name, module: "flux", pkg: "github.com/fluxcd/" + name}
}

// runc looks up names with Go's own code: what glibc has for that cannot be linked statically.
var runc = program{
	name: "runc", module: "runc", pkg: "github.com/opencontainers/runc", tags: "seccomp,netgo,osusergo,urfave_cli_no_docs",
	cgo: &seccomp,
}

// cni is a CNI plugin. Its executable has the plain name that a network
// configuration calls it by.
func cni(name, kind string) program {
	const module = "github.com/containernetworking/plugins"
	return program{
		name: "cni-" + name, file: name, module: "cni", pkg: module + "/plugins/" + kind + "/" + name,
		stamp: func(version string) string { return "-X " + module + "/pkg/utils/buildversion.BuildVersion=" + version },
	}
}

// tailscale is one of the programs of Tailscale's container image, with the build
// tags of that image. Unstamped ones call themselves ERR-BuildInfo.
func tailscale(name string) program {
	return program{
		name: name, module: "tailscale", pkg: "tailscale.com/cmd/" + name, tags: "ts_kube,ts_package_container",
		stamp: func(version string) string {
			const pkg = "tailscale.com/version"
			return fmt.Sprintf("-X %[1]s.shortStamp=%[2]s -X %[1]s.longStamp=%[2]s", pkg, strings.TrimPrefix(version, "v"))
		},
	}
}
