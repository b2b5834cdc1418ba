//go:build lab && linux

package flux

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tsunaro.io/gateway/test/kustomize"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// pair is a gateway with its two Kustomizations: those of examples/flux, or of a copy
// of it.
type pair struct {
	*labtest.World
	git       *labtest.Repository
	log       *history
	name      string      // of the gateway
	dir       string      // in the repository
	one, two  string      // names of the Kustomizations
	clusterIP string      // of its DNS
	compose   func(*pair) // writes its files
}

// all is the gateway as the cluster has it.
func (p *pair) all() labtest.Gateway { return labtest.Gateway{World: p.World, Name: p.name} }

// How often Flux looks in tests, and how long it waits. Below thirty seconds it takes no
// timeout.
const (
	interval = 5 * time.Second
	timeout  = 30 * time.Second
)

// hurried is what tests change of the example.
var hurried = fmt.Sprintf(`
patches:
- target: {kind: GitRepository}
  patch: |-
    - {op: replace, path: /spec/interval, value: %[1]s}
- target: {group: kustomize.toolkit.fluxcd.io, kind: Kustomization}
  patch: |-
    - {op: replace, path: /spec/interval, value: %[1]s}
    - {op: replace, path: /spec/retryInterval, value: 2s}
    - {op: replace, path: /spec/timeout, value: %[2]s}
`, interval, timeout)

// Names in the example.
const (
	example     = "examples/flux"
	exampleName = "lab-gw"
)

// homeLab is the example itself, at home in a lab.
func homeLab(w *labtest.World, git *labtest.Repository, log *history) *pair {
	w.Helper()
	return &pair{
		World: w, git: git, log: log, name: exampleName, dir: example,
		one: exampleName, two: exampleName + "-resources", clusterIP: "10.96.0.53",
		compose: func(p *pair) {
			if err := os.CopyFS(filepath.Join(p.git.Dir, p.dir), os.DirFS(p.Source(example))); err != nil {
				p.Fatal(err)
			}
			p.git.Append(p.file("inputs/kustomization.yaml"), strings.TrimPrefix(labtest.HomeLayer, "\n"))
		},
	}
}

// another is a copy of the example for another gateway, with a Tailnet of its own; more
// is what its spec has beside.
func (p *pair) another(name string, n int, more string) *pair {
	p.Helper()
	return &pair{
		World: p.World, git: p.git, log: p.log, name: name, dir: "gateways/" + name,
		one: name, two: name + "-resources", clusterIP: labtest.ServiceIP(n),
		compose: func(c *pair) {
			for _, file := range []string{"render/kustomization.yaml", "render/render.yaml", "inputs/kustomization.yaml", "rendered/kustomization.yaml"} {
				text, err := os.ReadFile(c.Source(filepath.Join(example, file)))
				if err != nil {
					c.Fatal(err)
				}
				c.git.Write(c.file(file), strings.ReplaceAll(string(text), exampleName, name))
			}
			fill := strings.NewReplacer("GW", name, "NN", fmt.Sprint(n), "ADDRESS", c.clusterIP)
			for file, text := range anotherInputs {
				c.git.Write(c.file("inputs/"+file), fill.Replace(text))
			}
			c.git.Append(c.file("inputs/gateway.yaml"), more)
		},
	}
}

var anotherInputs = map[string]string{
	"tailnet.yaml": `apiVersion: tsunaro.io/v1alpha1
kind: Tailnet
metadata:
  name: GW
spec:
  controlURL: https://headscale.example
  caBundleConfigMapRef: {name: headscale-ca, key: ca.crt}
  dns: {hostsConfigMapRef: {name: GW-hosts}}
`,
	"hosts.yaml": `apiVersion: v1
kind: ConfigMap
metadata:
  name: GW-hosts
  namespace: tsunaro-system
  labels: {tsunaro.io/tailnet: GW}
data:
  hosts: |
    192.168.NN.8  printer.GW.example
`,
	"gateway.yaml": `apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata:
  name: GW
spec:
  suspend: false
  tailnetRef: {name: GW}
  tags: ["tag:gateway"]
  routes: {lan: [192.168.NN.0/24]}
  tailnetLBCIDR: 10.99.0.0/24
  loadBalancerIP: 10.99.0.NN
  dns: {zone: GW.example, serviceName: GW-dns, clusterIP: ADDRESS}
  pod:
    sysctls: [{name: net.ipv4.ip_forward, value: "1"}]
`,
}

func (p *pair) file(path string) string { return filepath.Join(p.dir, path) }

// deploy applies the GitRepository and both Kustomizations as README of the example
// says.
func (p *pair) deploy() {
	p.Helper()
	p.Must(apiserver.Person, "", "apply", "-k", p.Layer("examples/flux/cluster", hurried))
}

// deployCopy applies both Kustomizations of a copy, or of the example under other names:
// they are the example's, with those names.
func (p *pair) deployCopy() {
	p.Helper()
	text, err := os.ReadFile(p.Source("examples/flux/cluster/lab-gw.yaml"))
	if err != nil {
		p.Fatal(err)
	}
	_, both, _ := strings.Cut(string(text), "\n---\n") // without the GitRepository, which is there
	both = strings.NewReplacer(
		"\n  - name: lab-gw", "\n  - name: "+p.one,
		"\n  name: lab-gw-resources", "\n  name: "+p.two,
		"\n  name: lab-gw", "\n  name: "+p.one,
		"./"+example+"/", "./"+p.dir+"/",
		"    name: lab-gw", "    name: "+p.name,
	).Replace(both)
	dir := p.Layer("health/flux", "")
	p.write(filepath.Join(dir, "pair.yaml"), both)
	component, err := filepath.Rel(dir, p.Source("health/flux"))
	if err != nil {
		p.Fatal(err)
	}
	p.write(filepath.Join(dir, "kustomization.yaml"), "resources: [pair.yaml]\ncomponents: ["+component+"]\n"+hurried)
	p.Must(apiserver.Person, "", "apply", "-k", dir)
}

func (p *pair) write(file, text string) {
	p.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.Fatal(err)
	}
}

// render does what README of the example has CI do.
func (p *pair) render() {
	p.Helper()
	dir := filepath.Join(p.git.Dir, p.dir)
	build := kustomize.Build(p, filepath.Join(dir, "render")).Must(p)
	p.git.Write(p.file("rendered/"+p.name+".yaml"), build.Stdout)
	inputs := kustomize.Kustomize(p, kustomize.Cmd{Args: []string{"build", filepath.Join(dir, "inputs")}}).Must(p)
	kustomize.Function(p, kustomize.Cmd{
		Stdin: inputs.Stdout, Args: []string{"check-render", "--build", filepath.Join(dir, "rendered", p.name+".yaml"), "-"},
	}).Must(p)
}
