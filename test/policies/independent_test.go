package policies

import (
	"os/exec"
	"strings"
	"testing"
)

// The rules are a check of the renderer from outside: they, and what runs them,
// are made of nothing of it.
func TestIndependent(t *testing.T) {
	cmd := exec.Command("go", "list", "-deps", "./policies")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	deps := strings.Fields(string(out))
	if len(deps) < 100 {
		t.Errorf("%d packages: is that all?", len(deps))
	}
	for _, p := range deps {
		if strings.HasPrefix(p, "tsunaro.io/gateway/") && p != "tsunaro.io/gateway/policies" {
			t.Errorf("policies imports %s", p)
		}
	}
}
