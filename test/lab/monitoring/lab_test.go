//go:build lab

package monitoring

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/test/testbed/tool"
)

const source = "../../../minter/monitoring"

// group is one of a rules file.
type group struct {
	Name  string `json:"name"`
	Rules []rule `json:"rules"`
}

type rule struct {
	Alert       string            `json:"alert,omitempty"`
	Record      string            `json:"record,omitempty"`
	Expr        string            `json:"expr"`
	For         string            `json:"for,omitempty"`
	Labels      map[string]string `json:"labels,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// groups are those of the PrometheusRule, which has no other copy.
func groups(t *testing.T) []group {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(source, "prometheusrule.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var p struct {
		Spec struct {
			Groups []group `json:"groups"`
		} `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &p); err != nil {
		t.Fatal(err)
	}
	return p.Spec.Groups
}

// panels are the expressions of the dashboard, with values for Grafana's variables,
// as rules.
func panels(t *testing.T) []group {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(source, "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Targets []struct {
				Expr string `json:"expr"`
			} `json:"targets"`
		} `json:"panels"`
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	g := group{Name: "dashboard"}
	for _, p := range d.Panels {
		for _, target := range p.Targets {
			expr := strings.NewReplacer("$__rate_interval", "5m", "$gateway", ".*").Replace(target.Expr)
			g.Rules = append(g.Rules, rule{Record: "panel", Expr: expr, Labels: map[string]string{"expr": expr}})
		}
	}
	if len(g.Rules) < 15 {
		t.Fatalf("%d expressions", len(g.Rules))
	}
	return []group{g}
}

// write writes a file of dir as promtool reads it.
func write(t *testing.T, dir, name string, content any) string {
	t.Helper()
	text, err := yaml.Marshal(content)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// promtool runs it, and returns what it printed and whether all was well.
func promtool(t *testing.T, args ...string) (string, bool) {
	t.Helper()
	program, err := tool.Path("promtool")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	return string(out), err == nil
}
