package flux

import (
	"strings"
	"testing"

	"tsunaro.io/gateway/test/testbed/page"
)

// The documented conditions of both Kustomizations are those that TestFlux waits for.
//
// REQ: ST-05
func TestStatesAreDocumented(t *testing.T) {
	var b strings.Builder
	b.WriteString(page.Row("TailnetGateway `GW`", "Step one", "Step two") + "|---|---|---|\n")
	for _, s := range states {
		b.WriteString(page.Row(s.name, s.one.cell(), s.two.cell()))
	}
	page.Page("../../../../docs/health.md").Written(t, "flux", b.String())
}

func (s shown) cell() string {
	if s.status == "True" {
		return "True"
	}
	return "`" + s.reason + "`: " + s.of("GW", "GW").message
}
