package command_test

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/health/cluster/clustertest"
	"tsunaro.io/gateway/health/command"
	"tsunaro.io/gateway/internal/commandline"
)

// terminal runs command lines on a server's worlds and keeps what a person sees.
type terminal struct {
	testing.TB
	server     *clustertest.Server
	kubeconfig string
	streams    commandline.Streams
}

func newTerminal(t testing.TB, worlds map[string]clustertest.World) *terminal {
	t.Helper()
	s := clustertest.Serve(t, worlds)
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(file, []byte(s.Kubeconfig()), 0o600); err != nil {
		t.Fatal(err)
	}
	return &terminal{TB: t, server: s, kubeconfig: file}
}

// run runs a command line in a world; the address of its server is one that stays.
func (x *terminal) run(world string, args ...string) (out, said string, code int) {
	x.Helper()
	return x.exactly(append(args, "--kubeconfig", x.kubeconfig, "--context", world))
}

// exactly is run with all arguments given.
func (x *terminal) exactly(args []string) (out, said string, code int) {
	x.Helper()
	var stdout, stderr bytes.Buffer
	s := x.streams
	s.Out, s.Err = &stdout, &stderr
	if s.In == nil {
		s.In = strings.NewReader("")
	}
	code = command.Run(x.Context(), args, s, func() time.Time { return clustertest.Now })
	plain := strings.NewReplacer(x.server.URL, "https://cluster.example")
	return plain.Replace(stdout.String()), plain.Replace(stderr.String()), code
}

// session is what a person sees who types the lines.
func (x *terminal) session(world string, lines ...string) string {
	x.Helper()
	var b strings.Builder
	for i, l := range lines {
		if i > 0 {
			b.WriteString("\n")
		}
		out, said, code := x.run(world, strings.Fields(l)...)
		fmt.Fprintf(&b, "$ kubectl tsunaro %s\n%s%s", l, out, said)
		if code != 0 {
			fmt.Fprintf(&b, "[exit code %d]\n", code)
		}
	}
	return b.String()
}

// golden compares with files of a directory, strictly both ways. UPDATE_GOLDEN=1
// rewrites them.
func golden(t *testing.T, dir string, got map[string]string) {
	t.Helper()
	update := os.Getenv("UPDATE_GOLDEN") != ""
	for _, name := range slices.Sorted(maps.Keys(got)) {
		file := filepath.Join(dir, name)
		if update {
			if err := os.WriteFile(file, []byte(got[name]), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if got[name] != string(want) {
			t.Errorf("%s differs; got:\n%s", file, got[name])
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if _, ok := got[e.Name()]; !ok {
			t.Errorf("%s belongs to no test", filepath.Join(dir, e.Name()))
		}
	}
}

// What programs read.
func TestDocuments(t *testing.T) {
	x := newTerminal(t, clustertest.Worlds(t))
	golden(t, "testdata/documents", map[string]string{
		"healthy.txt": x.session("healthy", "status lab-gw -o json"),
		"drifted.txt": x.session("drifted", "status lab-gw -o yaml"),
		"partial.txt": x.session("partial", "status lab-gw -o yaml"),
		"several.txt": x.session("several", "status -o json"),
		"two.txt":     x.session("healthy", "status lab-gw lab-gw -o yaml"),
	})
}

// What a person sees of a gateway in each situation.
//
// REQ: ST-05, ST-06, OP-01
func TestViews(t *testing.T) {
	worlds := clustertest.Worlds(t)
	x := newTerminal(t, worlds)
	got := map[string]string{}
	for name := range worlds {
		got[name+".txt"] = x.session(name, "status lab-gw", "diff lab-gw", "status", "status lab-gw --exit-code -o table")
	}
	x.streams = commandline.Streams{OutTerminal: true, Width: 60}
	for _, name := range []string{"healthy", "drifted", "blocked", "several"} {
		got[name+".color.txt"] = x.session(name, "status lab-gw", "status", "diff lab-gw")
	}
	golden(t, "testdata/views", got)
}
