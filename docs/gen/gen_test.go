package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"tsunaro.io/gateway/policies"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/rules"
)

// REQ: ST-09
func TestReferenceIsCurrent(t *testing.T) {
	for _, p := range pages {
		want, err := p.write()
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "reference", p.name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what docs/gen writes: run `make generate`, and read and commit the difference", p.name)
		}
	}
}

// Every field, condition and rule is on its page.
//
// REQ: ST-09, UP-01
func TestReferenceIsComplete(t *testing.T) {
	apiText, conditions, ruleText := text(t, apiPage), text(t, conditionsPage), text(t, rulesPage)
	for _, f := range append(api.TailnetFields[:len(api.TailnetFields):len(api.TailnetFields)], api.GatewayFields...) {
		wants(t, apiText, "`"+f.Path+"`")
	}
	for _, f := range []string{
		"observedGeneration", "nodeId", "ipv4", "serviceIP", "advertisedRoutes", "approvedRoutes", "staleRoutes", "staleNodeIds",
		"dns.serial", "dns.names", "routePlan.hash", "routePlan.at", "drift[].path", "conditions", "apiKey.id", "apiKey.expiresAt",
	} {
		wants(t, apiText, "`status."+f+"`")
	}
	for _, c := range api.Conditions {
		wants(t, conditions, "## "+c.Kind+": "+c.Type)
		wants(t, conditions, c.Text)
	}
	for _, r := range rules.Table {
		wants(t, ruleText, "| `"+string(r.ID)+"` |")
	}
	policyRules, err := policies.Rules()
	if err != nil || len(policyRules) < 40 {
		t.Fatalf("%d rules of policies (%v), want at least 40", len(policyRules), err)
	}
	for _, r := range policyRules {
		wants(t, text(t, policiesPage), "| `"+r.ID+"` |")
	}
}

func text(t *testing.T, write func() ([]byte, error)) []byte {
	t.Helper()
	b, err := write()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func wants(t *testing.T, page []byte, text string) {
	t.Helper()
	if !bytes.Contains(page, []byte(text)) {
		t.Errorf("%q is missing", text)
	}
}
