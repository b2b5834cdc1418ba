package command_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/health/ask/asktest"
	"tsunaro.io/gateway/health/cluster/clustertest"
	"tsunaro.io/gateway/test/testbed/page"

	"github.com/miekg/dns"
	"github.com/rogpeppe/go-internal/testscript"
)

const docs page.Page = "../../docs/cli.md"

// shown holds a part of the page to what a person sees.
func shown(t *testing.T, name, want string) {
	t.Helper()
	docs.Written(t, name, "```text\n"+want+"```\n")
}

// What the page shows is what a person sees.
func TestDocsShow(t *testing.T) {
	worlds := clustertest.Worlds(t)
	x := newTerminal(t, worlds)
	shown(t, "status", x.session("drifted", "status lab-gw"))
	shown(t, "diff", x.session("drifted", "diff lab-gw"))
	address := asktest.Serve(t, zoneOf(worlds["healthy"]), func(_ dns.ResponseWriter, m *dns.Msg) bool {
		if m.Question[0].Name == "nas.lab.example." && m.Question[0].Qtype == dns.TypeA {
			m.Answer = []dns.RR{asktest.Record(t, "nas.lab.example. 30 IN A 192.168.10.99")}
		}
		return true
	})
	text := x.session("healthy", "dns lab-gw --address "+address)
	shown(t, "dns", strings.NewReplacer(" --address "+address, "", address, "10.99.0.53:53").Replace(text))
}

// Every command line of the page does what it says, on a gateway that is well; kubectl
// and kustomize are stood in for, and the DNS server is on this machine.
func TestDocsCommands(t *testing.T) {
	worlds := clustertest.Worlds(t)
	address := asktest.Serve(t, zoneOf(worlds["healthy"]), nil)
	world := worlds["healthy"].With(t, "TailnetGateway", "", clustertest.Gateway, func(o map[string]any) map[string]any {
		o["status"].(map[string]any)["serviceIP"] = address
		return o
	})
	server := clustertest.Serve(t, map[string]clustertest.World{"lab": world})
	build, err := filepath.Abs("../../examples/home-lab/expected/build.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var script strings.Builder
	lines := 0
	for _, b := range docs.Blocks(t, "sh") {
		for l := range strings.Lines(b) {
			l = strings.NewReplacer("127.0.0.1:5300", address, "10.99.0.53", address).Replace(strings.TrimSpace(l))
			lines++
			if strings.Contains(l, "--watch") { // goes on until somebody ends it
				script.WriteString("exec timeout --preserve-status --signal=INT 1 " + strings.Replace(l, "kubectl tsunaro", "kubectl-tsunaro", 1) + "\nstdout Healthy\n! stderr .\n")
				continue
			}
			script.WriteString("exec sh -c '" + strings.ReplaceAll(l, "'", "''") + "'\n")
		}
	}
	if lines < 25 {
		t.Fatalf("%d command lines, want at least 25", lines)
	}
	file := filepath.Join(t.TempDir(), "docs.txtar")
	stubs := "-- bin/kubectl --\n#!/bin/sh\n[ \"$1\" = tsunaro ] || exit 0\nshift\nexec kubectl-tsunaro \"$@\"\n" +
		"-- bin/kustomize --\n#!/bin/sh\nexec cat " + build + "\n-- bin/kubectl_complete-tsunaro --\n" + docs.Blocks(t, "bash")[0] +
		"-- kubeconfig --\n" + server.Kubeconfig()
	text := "chmod 755 bin/kubectl\nchmod 755 bin/kustomize\nchmod 755 bin/kubectl_complete-tsunaro\n" + script.String() +
		"exec kubectl_complete-tsunaro status ''\nstdout '^lab-gw$'\n" + stubs
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{file}, Setup: func(e *testscript.Env) error {
		e.Setenv("KUBECONFIG", filepath.Join(e.WorkDir, "kubeconfig"))
		e.Setenv("PATH", filepath.Join(e.WorkDir, "bin")+string(os.PathListSeparator)+e.Getenv("PATH"))
		return nil
	}})
}

// The rights of the page are those that are made use of: no fewer, and no more but
// for Secrets.
//
// REQ: OP-02
func TestDocsRights(t *testing.T) {
	worlds := clustertest.Worlds(t)
	x := newTerminal(t, worlds)
	address := asktest.Serve(t, zoneOf(worlds["healthy"]), nil)
	for _, line := range []string{"status", "status lab-gw", "diff", "diff lab-gw", "dns lab-gw --address " + address} {
		if got := x.session("no-secrets", line); strings.Contains(got, "exit code") {
			t.Error(got)
		}
	}
	used := map[clustertest.Request]bool{}
	for _, r := range x.server.Requests() {
		used[r] = true
	}
	granted := map[clustertest.Request]bool{{Verb: "get", Resource: "secrets", Namespaced: true}: true}
	for _, text := range strings.Split(docs.Blocks(t, "yaml")[0], "---\n") {
		var role rbacv1.Role // a ClusterRole's rules are spelt the same
		if err := yaml.UnmarshalStrict(bytes.TrimSpace([]byte(text)), &role); err != nil {
			t.Fatal(err)
		}
		for _, rule := range role.Rules {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					granted[clustertest.Request{Verb: verb, Group: rule.APIGroups[0], Resource: resource, Namespaced: role.Kind == "Role"}] = true
				}
			}
		}
	}
	for r := range used {
		if !granted[r] {
			t.Errorf("the page does not grant %+v", r)
		}
	}
	for r := range granted {
		if !used[r] {
			t.Errorf("nothing needs %+v", r)
		}
	}
}
