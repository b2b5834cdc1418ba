package deploy

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/page"
)

const docs page.Page = "../../docs/minter.md"

// REQ: OP-02
func TestDocsAccess(t *testing.T) {
	text := page.Row("Where", "Resource", "Verbs", "Why") + "|---|---|---|---|\n"
	where := map[Scope]string{OperatorNamespace: "in its namespace", Everywhere: "everywhere"}
	for _, g := range Access() {
		resource := "`" + g.Resource + "`"
		if g.Group != "" {
			resource = "`" + g.Resource + "." + g.Group + "`"
		}
		if r, sub, found := strings.Cut(g.Resource, "/"); found {
			resource = "`" + r + "." + g.Group + "`, subresource `" + sub + "`"
		}
		if g.Name != "" {
			resource += " named `" + g.Name + "`"
		}
		text += page.Row(where[g.Scope], resource, strings.Join(g.Verbs, ", "), g.Why)
	}
	docs.Written(t, "access", text)
}

// What the page says is written needs what the table grants, and the other way
// round: no verb that writes is there for nothing.
//
// REQ: OP-02
func TestDocsSayWhatIsWritten(t *testing.T) {
	resources := map[string][]string{
		"Secret": {"secrets"}, "ConfigMap": {"configmaps"}, "TailnetGateway": {"tailnetgateways"}, "Tailnet": {"tailnets"},
		"Status": {"tailnets/status", "tailnetgateways/status"}, "Lease": {"leases"}, "Event": {"events"},
		"the nine": {"configmaps", "roles", "rolebindings", "serviceaccounts", "services", "poddisruptionbudgets", "statefulsets"},
	}
	_, rest, _ := strings.Cut(docs.Text(t), "| Object | Verb | When | Why |\n")
	table, _, _ := strings.Cut(rest, "\n\n")
	said := map[string]bool{}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		for kind, all := range resources {
			if !strings.Contains(cells[1], kind+" ") && !strings.Contains(cells[1], kind+",") ||
				strings.HasPrefix(kind, "Tailnet") && strings.Contains(cells[1], "Status") {
				continue
			}
			for verb := range strings.SplitSeq(cells[2], ",") {
				for _, resource := range all {
					said[strings.TrimSpace(verb)+" "+resource] = true
				}
			}
		}
	}
	granted := map[string]bool{}
	for _, g := range Access() {
		for _, verb := range g.Verbs {
			if !slices.Contains([]string{"get", "list", "watch"}, verb) {
				granted[verb+" "+g.Resource] = true
			}
		}
	}
	for w := range said {
		if !granted[w] {
			t.Errorf("the page says %s, which is not allowed", w)
		}
	}
	for w := range granted {
		if !said[w] {
			t.Errorf("%s is allowed, and the page does not say what for", w)
		}
	}
	for _, name := range []string{
		api.StateSecretName("GW"), api.AuthSecretName("GW"), api.AuthReceiptName("GW"), api.FreshName("GW"),
		api.WorkingKeySecretName("TAILNET"), api.BindingsName, api.MinterName,
	} {
		if !strings.Contains(table, "`"+name+"`") {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// The page speaks of reasons that exist.
func TestDocsReasons(t *testing.T) {
	_, rest, _ := strings.Cut(docs.Text(t), "## Blocked: what to do")
	section, _, _ := strings.Cut(rest, "\n## ")
	known := map[string]bool{}
	for _, c := range api.Conditions {
		known[c.Type], known[c.Reason] = true, true
	}
	n := 0
	for _, m := range regexp.MustCompile("`([A-Z][A-Za-z]+)`").FindAllStringSubmatch(section, -1) {
		if n++; !known[m[1]] {
			t.Errorf("there is no reason %s", m[1])
		}
	}
	if n < 8 {
		t.Errorf("%d reasons", n)
	}
}
