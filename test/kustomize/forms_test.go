package kustomize_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// The plain command gives what kustomize gives, from the same files and from
// what kustomize itself makes of them.
//
// REQ: RN-10
func TestPlainCommand(t *testing.T) {
	dir := transformer(row{}).Write(t)
	want := kustomize.Parse(t, kustomize.Build(t, dir).Must(t).Stdout).Rendered()
	inputs := kustomize.Base().With(kustomize.Layer{
		"kustomization.yaml": "resources: [tailnet.yaml, gateway.yaml, egress.yaml, hosts.yaml]\n",
	}).Write(t)
	built := kustomize.Kustomize(t, kustomize.Cmd{Args: []string{"build", inputs}}).Must(t)
	for _, c := range []kustomize.Cmd{
		{Args: []string{"render", dir}},
		{Args: []string{"render", "."}, Dir: dir},
		{Args: []string{"render", "tailnet.yaml", "gateway.yaml", "egress.yaml", "hosts.yaml"}, Dir: dir},
		{Args: []string{"render", "-"}, Stdin: built.Stdout},
	} {
		got := kustomize.Parse(t, kustomize.Function(t, c).Must(t).Stdout)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v: %v, not the nine of kustomize build", c.Args, got.Names())
		}
	}
}

// kpt runs functions on what it read from files, and writes files of what comes
// back: comments and styles of other items stay, the nine are in block style, and
// running the function once more changes nothing.
//
// REQ: RN-10, RN-13
func TestKpt(t *testing.T) {
	in, err := os.ReadFile("testdata/kpt/in.yaml")
	if err != nil {
		t.Fatal(err)
	}
	first := kustomize.Function(t, kustomize.Cmd{Stdin: string(in)}).Must(t)
	golden(t, "testdata/kpt/out.yaml", first.Stdout)

	_, items, _ := strings.Cut(string(in), "items:\n")
	for line := range strings.Lines(items) {
		if strings.Contains(line, "#") && !strings.Contains(first.Stdout, line) {
			t.Errorf("this line is not as it was: %s", line)
		}
	}
	if strings.Contains(first.Stdout, `- {"`) {
		t.Error("one of the nine is not in block style")
	}
	for _, want := range []string{"egress-covered", "TailnetEgress"} {
		if _, results, _ := strings.Cut(first.Stdout, "results:"); !strings.Contains(results, want) {
			t.Errorf("%q is not in the results", want)
		}
		if !strings.Contains(first.Stderr, want) {
			t.Errorf("%q is not on stderr", want)
		}
	}
	// The second run reads the nine from files as well.
	config, _, _ := strings.Cut(string(in), "items:\n")
	_, body, _ := strings.Cut(first.Stdout, "items:\n")
	again := kustomize.Function(t, kustomize.Cmd{Stdin: config + "items:\n" + body}).Must(t)
	if again.Stdout != first.Stdout {
		t.Error("a second run gives something else")
	}
}

// dockerArgs is how kustomize runs an image: no network, nobody, no file.
var dockerArgs = []string{
	"run", "--rm", "-i", "-a", "STDIN", "-a", "STDOUT", "-a", "STDERR", "--network", "none",
	"--user", "nobody", "--security-opt=no-new-privileges",
	"-e", "LOG_TO_STDERR=true", "-e", "STRUCTURED_RESULTS=true", "tsunaro-fn:v1.0.0",
}

// In a container the function works as a transformer. It sees no file there, so
// inputs are refused.
//
// REQ: RN-10
func TestContainer(t *testing.T) {
	t.Run("transformer", func(t *testing.T) {
		build, args := inContainer(t, transformer(row{}))
		want := kustomize.Parse(t, kustomize.Build(t, transformer(row{}).Write(t)).Must(t).Stdout)
		if got := kustomize.Parse(t, build.Must(t).Stdout); !reflect.DeepEqual(got, want) {
			t.Errorf("got %v, not what the program gives", got.Names())
		}
		if !slices.Equal(args, dockerArgs) {
			t.Errorf("docker %q, want %q", args, dockerArgs)
		}
	})
	t.Run("inputs", func(t *testing.T) {
		build, _ := inContainer(t, generator(row{}))
		var want []string
		for i := range 4 {
			want = append(want, fmt.Sprintf("input-file GatewayRender/generate spec.inputs[%d]", i))
		}
		build.Refused(t, want...)
	})
}

// inContainer builds a layer with a docker on PATH that notes its arguments and
// runs the function in an empty directory.
func inContainer(t *testing.T, l kustomize.Layer) (build kustomize.Result, args []string) {
	t.Helper()
	for _, name := range []string{"render.yaml", "generate.yaml"} {
		l[name] = strings.Replace(l[name], "exec:\n        path: tsunaro-fn", "container:\n        image: tsunaro-fn:v1.0.0", 1)
	}
	bin, note := t.TempDir(), filepath.Join(t.TempDir(), "args")
	script := fmt.Sprintf("#!/bin/sh\nprintf '%%s\\n' \"$@\" > '%s'\ncd '%s' && exec tsunaro-fn\n", note, t.TempDir())
	if err := os.WriteFile(filepath.Join(bin, "docker"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	build = kustomize.Kustomize(t, kustomize.Cmd{
		Args: []string{"build", "--enable-alpha-plugins", l.With(kustomize.Layer{}).Write(t)},
		Path: []string{bin},
	})
	text, err := os.ReadFile(note)
	if err != nil {
		t.Fatalf("docker was not run: %v", err)
	}
	return build, strings.Split(strings.TrimSpace(string(text)), "\n")
}

// golden compares text with a file; UPDATE_GOLDEN=1 writes it.
func golden(t *testing.T, file, text string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) {
		t.Errorf("%s: UPDATE_GOLDEN=1 writes it; got:\n%s", file, text)
	}
}
