package deploy

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer/api"
)

const page = "../../docs/minter.md"

func read(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block is the one code block of a language that holds a text.
func block(t *testing.T, language, holds string) string {
	t.Helper()
	var found []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(read(t), -1) {
		if strings.Contains(m[1], holds) {
			found = append(found, m[1])
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s: %d blocks of %s with %q", page, len(found), language, holds)
	}
	return found[0]
}

// written holds a part of the page to what it should be. UPDATE_GOLDEN=1 writes it.
func written(t *testing.T, name, want string) {
	t.Helper()
	begin, end := "<!-- "+name+": written by the tests -->\n", "<!-- end of "+name+" -->\n"
	text := read(t)
	head, rest, begun := strings.Cut(text, begin)
	have, tail, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s has no place for %s", page, name)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(page, []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if have != want {
		t.Errorf("%s: not as tested; UPDATE_GOLDEN=1 writes it. Want:\n%s", page, want)
	}
}

// row is a line of a table.
func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// REQ: OP-02
func TestDocsAccess(t *testing.T) {
	text := row("Where", "Resource", "Verbs", "Why") + "|---|---|---|---|\n"
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
		text += row(where[g.Scope], resource, strings.Join(g.Verbs, ", "), g.Why)
	}
	written(t, "access", text)
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
	_, rest, _ := strings.Cut(read(t), "| Object | Verb | When | Why |\n")
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
	_, rest, _ := strings.Cut(read(t), "## Blocked: what to do")
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
