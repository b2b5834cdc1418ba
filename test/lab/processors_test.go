//go:build lab

// Package lab holds the tests that need more than Go, git and make: other
// packages of the system, or root. `make test-lab` runs them.
package lab

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"tsunaro.io/gateway/test/corpus"
	"tsunaro.io/gateway/test/testbed/tool"
)

// The same input gives the same bytes on every processor: another one, one with
// 32-bit ints, and a big-endian one.
//
// REQ: RN-01
func TestSameBytesOnEveryProcessor(t *testing.T) {
	kustomize, err := tool.Path("kustomize")
	if err != nil {
		t.Fatal(err)
	}
	native, err := tool.Function(runtime.GOOS, runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	layers := examples(t)
	input := base(t)
	wantStream := render(t, native, input)
	wantBuild := map[string][]byte{}
	for _, layer := range layers {
		wantBuild[layer] = build(t, kustomize, native, layer)
	}
	for _, p := range []struct{ goarch, qemu string }{
		{"arm64", "qemu-aarch64-static"},
		{"arm", "qemu-arm-static"},
		{"s390x", "qemu-s390x-static"},
	} {
		t.Run(p.goarch, func(t *testing.T) {
			emulated := underQEMU(t, p.goarch, p.qemu)
			same(t, "the corpus' base documents", render(t, emulated, input), wantStream)
			for _, layer := range layers {
				same(t, layer, build(t, kustomize, emulated, layer), wantBuild[layer])
			}
		})
	}
}

// underQEMU returns a script that runs the function for goarch, under the plain
// name that the examples look for on PATH.
func underQEMU(t *testing.T, goarch, qemu string) string {
	t.Helper()
	emulator, err := exec.LookPath(qemu)
	if err != nil {
		t.Fatalf("%s is not installed: apt-get install qemu-user-static", qemu)
	}
	function, err := tool.Function("linux", goarch)
	if err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(t.TempDir(), tool.FunctionName)
	text := fmt.Sprintf("#!/bin/sh\nexec '%s' '%s' \"$@\"\n", emulator, function)
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return script
}

// examples lists the directories under examples that kustomize can build.
func examples(t *testing.T) []string {
	t.Helper()
	const root = "../../examples"
	var layers []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Name() == "kustomization.yaml" {
			layers = append(layers, filepath.Dir(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(layers) == 0 {
		t.Fatalf("%s holds no kustomization.yaml", root)
	}
	return layers
}

// base is the corpus' base documents as one YAML stream.
func base(t *testing.T) []byte {
	t.Helper()
	var documents [][]byte
	for _, name := range []string{"tailnet", "gateway", "egress", "hosts"} {
		document, err := corpus.BaseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		documents = append(documents, document)
	}
	return bytes.Join(documents, []byte("---\n"))
}

// build runs the real kustomize with the function first on PATH.
func build(t *testing.T, kustomize, function, layer string) []byte {
	t.Helper()
	cmd := exec.Command(kustomize, "build", "--enable-alpha-plugins", "--enable-exec", layer)
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(function)+string(os.PathListSeparator)+os.Getenv("PATH"))
	return output(t, cmd)
}

// render runs the function as a plain command.
func render(t *testing.T, function string, input []byte) []byte {
	t.Helper()
	cmd := exec.Command(function, "render", "-")
	cmd.Stdin = bytes.NewReader(input)
	return output(t, cmd)
}

func output(t *testing.T, cmd *exec.Cmd) []byte {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err == nil && len(out) == 0 {
		err = errors.New("nothing came out")
	}
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd.Args, err, &stderr)
	}
	return out
}

func same(t *testing.T, what string, got, want []byte) {
	t.Helper()
	if !bytes.Equal(got, want) {
		t.Errorf("%s: other bytes than on %s:\n%s\nwant\n%s", what, runtime.GOARCH, got, want)
	}
}
