package command_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tsunaro.io/gateway/health/cluster/clustertest"
)

// A finished build beside what is live, as a person types it.
//
// REQ: ST-06
func TestDiffBuild(t *testing.T) {
	data, err := os.ReadFile("../../examples/home-lab/expected/build.yaml")
	if err != nil {
		t.Fatal(err)
	}
	build := string(data)
	worlds := clustertest.Worlds(t)
	x := newTerminal(t, worlds)
	got := map[string]string{}
	for name, c := range map[string]struct {
		world, args string
		build       string
	}{
		"same":           {"healthy", "", build},
		"drifted":        {"drifted", "", build},
		"json":           {"drifted", " -o json", build},
		"image":          {"healthy", "", replaced(t, build, "image: registry.k8s.io/coredns/coredns:v1.14.6", "image: registry.example/coredns:new")},
		"pinned":         {"healthy", "", replaced(t, build, "  replicas: 1\n", "  replicas: 2\n")},
		"zone-is-live":   {"healthy", "", replaced(t, build, "192.168.10.8", "192.168.10.9")},
		"without-pdb":    {"healthy", "", without(t, build, "kind: PodDisruptionBudget")},
		"only-crs":       {"healthy", "", only(build, "kind: Tailnet")},
		"suspended":      {"healthy", "", replaced(t, only(build, "kind: Tailnet"), "suspend: false", "suspend: true")},
		"another":        {"healthy", "", strings.ReplaceAll(build, "lab-gw", "attic")},
		"named":          {"healthy", " lab-gw", build},
		"not-in-it":      {"healthy", " cellar", build},
		"bootstrapping":  {"bootstrapping", "", build},
		"bound-by-other": {"healthy", "", strings.ReplaceAll(build, "${lab_gw_state_uid:=<unbound>}", clustertest.UID(44))},
		"no-secrets":     {"no-secrets", "", build},
		"partial":        {"partial", "", build},
		"broken":         {"healthy", "", "spec: [1, 2\n"},
		"empty":          {"healthy", "", ""},
		"no-number":      {"healthy", "", replaced(t, build, "  replicas: 1\n", "  replicas: two\n")},
		"another-kind":   {"healthy", "", build + "---\napiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: {tsunaro.io/gateway: lab-gw}\n"},
	} {
		file := filepath.Join(t.TempDir(), "build.yaml")
		if err := os.WriteFile(file, []byte(c.build), 0o600); err != nil {
			t.Fatal(err)
		}
		got[name+".txt"] = strings.ReplaceAll(x.session(c.world, "diff -f "+file+c.args), file, "build.yaml")
		x.streams.In = strings.NewReader(c.build)
		piped := strings.ReplaceAll(x.session(c.world, "diff --filename - "+strings.TrimSpace(c.args)), "--filename - "+strings.TrimSpace(c.args), "-f build.yaml"+c.args)
		if want := strings.ReplaceAll(got[name+".txt"], "(build.yaml", "("); name != "broken" && piped != want {
			t.Errorf("%s: from standard input\n%s\nwant\n%s", name, piped, want)
		}
	}
	golden(t, "testdata/diff", got)
}

func replaced(t testing.TB, text, old, with string) string {
	t.Helper()
	changed := strings.Replace(text, old, with, 1)
	if changed == text {
		t.Fatalf("%q is not in the build", old)
	}
	return changed
}

// without drops the one document that holds a line.
func without(t testing.TB, build, line string) string {
	t.Helper()
	var kept []string
	docs := strings.Split(build, "---\n")
	for _, d := range docs {
		if !strings.Contains(d, line+"\n") {
			kept = append(kept, d)
		}
	}
	if len(kept) != len(docs)-1 {
		t.Fatalf("%d documents with %q", len(docs)-len(kept), line)
	}
	return strings.Join(kept, "---\n")
}

// only keeps the documents that hold a text.
func only(build, text string) string {
	var kept []string
	for _, d := range strings.Split(build, "---\n") {
		if strings.Contains(d, text) {
			kept = append(kept, d)
		}
	}
	return strings.Join(kept, "---\n")
}
