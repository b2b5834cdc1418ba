package kustomize

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tsunaro.io/gateway/test/testbed/tool"
)

// Result is what a program came to.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Cmd is one run of a program.
type Cmd struct {
	Dir   string   // working directory; empty for the test's own
	Stdin string   //
	Env   []string // nil is the test's own
	Path  []string // directories to put before PATH
	Args  []string
}

// Flags let kustomize run a function that is a program.
var Flags = []string{"--enable-alpha-plugins", "--enable-exec"}

// Build runs `kustomize build` with Flags on a directory.
func Build(t testing.TB, dir string) Result {
	t.Helper()
	return Kustomize(t, Cmd{Args: append(append([]string{"build"}, Flags...), dir)})
}

// Kustomize runs the pinned kustomize with the function on PATH.
func Kustomize(t testing.TB, c Cmd) Result {
	t.Helper()
	function := program(t, tool.FunctionName)
	c.Path = append(c.Path, filepath.Dir(function))
	return run(t, program(t, "kustomize"), c)
}

// Script runs a script of the shell with kustomize and the function on PATH.
func Script(t testing.TB, path string, c Cmd) Result {
	t.Helper()
	c.Path = append(c.Path, filepath.Dir(program(t, "kustomize")), filepath.Dir(program(t, tool.FunctionName)))
	c.Args = append([]string{path}, c.Args...)
	return run(t, "sh", c)
}

// Function runs tsunaro-fn.
func Function(t testing.TB, c Cmd) Result {
	t.Helper()
	return run(t, program(t, tool.FunctionName), c)
}

// Check runs check-render on a finished build.
func Check(t testing.TB, build string, inputs ...string) Result {
	t.Helper()
	return Function(t, Cmd{Stdin: build, Args: append([]string{"check-render", "--build", "-", "-o", "json"}, inputs...)})
}

// Must fails the test unless the program ended well.
func (r Result) Must(t testing.TB) Result {
	t.Helper()
	if r.Code != 0 {
		t.Fatalf("exit code %d:\n%s", r.Code, r.Stderr)
	}
	return r
}

// programs finds, and where need be builds, each program once per process.
var programs = map[string]func() (string, error){
	"kustomize":       sync.OnceValues(func() (string, error) { return tool.Path("kustomize") }),
	tool.FunctionName: sync.OnceValues(func() (string, error) { return tool.Path(tool.FunctionName) }),
}

func program(t testing.TB, name string) string {
	t.Helper()
	p, err := programs[name]()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func run(t testing.TB, path string, c Cmd) Result {
	t.Helper()
	cmd := exec.Command(path, c.Args...)
	cmd.Dir = c.Dir
	cmd.Stdin = strings.NewReader(c.Stdin)
	dirs := append(c.Path, os.Getenv("PATH"))
	if cmd.Env = c.Env; cmd.Env == nil {
		cmd.Env = os.Environ()
	}
	cmd.Env = append(cmd.Env, "PATH="+strings.Join(dirs, string(os.PathListSeparator)))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return Result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}
