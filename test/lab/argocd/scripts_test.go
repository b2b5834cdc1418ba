//go:build lab

package argocd

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/health/corpus"
	"tsunaro.io/gateway/renderer/api"
)

// TestHealth: Argo CD says of every state what the corpus says. Of what is being
// deleted it says its own, and asks no script.
//
// REQ: ST-05, ST-06
func TestHealth(t *testing.T) {
	states, err := corpus.Read(os.DirFS(health))
	if err != nil {
		t.Fatal(err)
	}
	argo, deleted := with(t, "argocd-cm.yaml"), 0
	for _, s := range states {
		t.Run(s.File, func(t *testing.T) {
			want := fmt.Sprintf("STATUS: %s\nMESSAGE: %s\n", s.Health, s.Message)
			if s.Object.GetDeletionTimestamp() != nil {
				want, deleted = "STATUS: Progressing\nMESSAGE: Pending deletion\n", deleted+1
			}
			object := filepath.Join(health, corpus.Customizations, s.Kind(), s.Input())
			if got := argo.run(t, "health", object); got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
	if len(states) < 30 || deleted < 2 {
		t.Errorf("%d states, %d of them on their way out", len(states), deleted)
	}
}

// TestActions: the menu, and what comes of each action.
//
// REQ: ST-05
func TestActions(t *testing.T) {
	argo := with(t, "argocd-cm.yaml")
	object := func(kind, name string) string {
		return filepath.Join(health, corpus.Customizations, kind, "actions", "testdata", name)
	}
	for _, c := range []struct{ object, menu string }{
		{object(api.KindTailnetGateway, "active.yaml"), "resume true suspend false verify false"},
		{object(api.KindTailnetGateway, "suspended.yaml"), "resume false suspend true verify true"},
		{object(api.KindTailnetGateway, "deleting.yaml"), "resume true suspend true verify false"},
		{object(api.KindTailnet, "tailnet.yaml"), "verify false"},
	} {
		if got := strings.Fields(argo.run(t, "list-actions", c.object)); strings.Join(got[min(2, len(got)):], " ") != c.menu {
			t.Errorf("%s: %v, want %s", c.object, got, c.menu)
		}
	}
	for _, c := range []struct {
		object, action string
		changes        []string
	}{
		{object(api.KindTailnetGateway, "active.yaml"), "suspend", []string{"suspend: true"}},
		{object(api.KindTailnetGateway, "suspended.yaml"), "resume", []string{"suspend: false"}},
		{object(api.KindTailnetGateway, "active.yaml"), "verify", []string{"annotations:", api.AnnotationRequestedAt + ": "}},
		{object(api.KindTailnet, "tailnet.yaml"), "verify", []string{"annotations:", api.AnnotationRequestedAt + ": "}},
	} {
		added := additions(argo.run(t, "run-action", c.object, c.action))
		if len(added) != len(c.changes) || slices.ContainsFunc(c.changes, func(want string) bool {
			return !slices.ContainsFunc(added, func(line string) bool { return strings.HasPrefix(line, want) })
		}) {
			t.Errorf("%s of %s adds %q, want %q", c.action, c.object, added, c.changes)
		}
	}
}

// additions are the lines that a diff adds.
func additions(diff string) (lines []string) {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "> ") || strings.HasPrefix(line, "+ ") {
			lines = append(lines, strings.TrimSpace(line[2:]))
		}
	}
	return lines
}

// removals are the lines that a diff takes away.
func removals(diff string) (lines []string) {
	for line := range strings.Lines(diff) {
		if strings.HasPrefix(line, "< ") || strings.HasPrefix(line, "- ") {
			lines = append(lines, strings.TrimSpace(line[2:]))
		}
	}
	return lines
}

// TestIgnoreDifferences: of the nine Argo CD does not compare what is unbound, and of
// their ConfigMap neither the live zone; of another ConfigMap everything.
//
// REQ: DL-07, RN-09
func TestIgnoreDifferences(t *testing.T) {
	argo, dir, nine := with(t, "ignore-differences/argocd-cm.yaml"), t.TempDir(), 0
	write := func(name, text string) string {
		t.Helper()
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	text, err := os.ReadFile("../../../examples/argocd/gateway/expected/build.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for i, document := range strings.Split(string(text), "\n---\n") {
		unbound := strings.Count(document, "<unbound>")
		if unbound == 0 {
			continue
		}
		nine++
		removed := removals(argo.run(t, "ignore-differences", write(fmt.Sprintf("%d.yaml", i), document)))
		left := slices.DeleteFunc(slices.Clone(removed), func(line string) bool { return strings.Contains(line, "<unbound>") })
		if len(removed)-len(left) != unbound {
			t.Errorf("%d of %d placeholders are ignored in\n%s", len(removed)-len(left), unbound, document)
		}
		zone := strings.Contains(document, "\nkind: ConfigMap\n")
		for _, key := range []string{"Corefile:", "zone.db:", api.AnnotationDNSSerial, api.AnnotationDNSHash} {
			if slices.ContainsFunc(left, func(line string) bool { return strings.HasPrefix(line, key) }) != zone {
				t.Errorf("%s is ignored: %v, in\n%s", key, !zone, document)
			}
		}
	}
	if nine != 9 {
		t.Errorf("%d objects are unbound, want nine", nine)
	}
	other := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: coredns, namespace: kube-system}\ndata: {Corefile: theirs, hosts: theirs}\n"
	if got := argo.run(t, "ignore-differences", write("other.yaml", other)); !strings.HasPrefix(got, "No fields are ignored") {
		t.Errorf("somebody else's ConfigMap: %s", got)
	}
}
