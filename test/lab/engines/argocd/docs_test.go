package argocd

import (
	"fmt"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/testbed/page"
)

const docs page.Page = "../../../../docs/health.md"

// docs/health.md has every state that TestLife comes to, and what the Application
// shows then.
//
// REQ: ST-05
func TestDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString("| The gateway | Health | Sync | Last sync | Condition |\n|---|---|---|---|---|\n")
	for _, s := range states {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", s.name, s.health, s.sync, s.operation, s.conditions)
	}
	docs.Written(t, "argocd", b.String())
	if len(states) < 10 {
		t.Errorf("only %d states", len(states))
	}
}
