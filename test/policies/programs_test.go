package policies

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

var paths = map[string]func() (string, error){}

func init() {
	for _, name := range []string{"opa", "conftest", "kustomize", tool.FunctionName, tool.KubectlName} {
		paths[name] = sync.OnceValues(func() (string, error) { return tool.Path(name) })
	}
}

// program returns the path of a pinned tool or of one of our own programs.
func program(t testing.TB, name string) string {
	t.Helper()
	path, err := paths[name]()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// result is what a command line came to.
type result struct {
	stdout, stderr string
	code           int
}

// shell runs a command line as a user would type it, in dir, with the named
// programs on PATH.
func shell(t testing.TB, dir, line string, programs ...string) result {
	t.Helper()
	var path []string
	for _, p := range programs {
		path = append(path, filepath.Dir(program(t, p)))
	}
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", line)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+strings.Join(append(path, os.Getenv("PATH")), string(os.PathListSeparator)), "NO_COLOR=1")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// want fails the test unless the command line ended so, and said it.
func (r result) want(t testing.TB, line string, code int, says string) {
	t.Helper()
	if r.code != code || !strings.Contains(r.stdout+r.stderr, says) {
		t.Errorf("%s: exit code %d, want %d and %q:\n%s%s", line, r.code, code, says, r.stdout, r.stderr)
	}
}

// The rules are well formed, formatted, and every expression of them is run by
// their own tests.
func TestOPA(t *testing.T) {
	for _, line := range []string{
		"opa check --strict --bundle policies",
		"opa fmt --list --fail policies/lib policies/rendered policies/transformed policies/change policies/drift",
	} {
		shell(t, root, line, "opa").want(t, line, 0, "")
	}
	line := "opa test --bundle policies --timeout 10m --coverage --threshold 100 --format json"
	shell(t, root, line, "opa").want(t, line, 0, `"coverage": 100`)

	tests, cases := 0, 0
	names, err := filepath.Glob(root + "/policies/*/*/*_test.rego")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text := readFile(t, name)
		tests += bytes.Count(text, []byte("\ntest_"))
		cases += bytes.Count(text, []byte("\n\t\"")) + bytes.Count(text, []byte("\n\t\t\""))
	}
	if tests < 110 || cases < 350 {
		t.Errorf("%d tests with %d cases, want at least 110 with 350", tests, cases)
	}
}

// broken is a build of an example in which one thing is wrong.
func broken(t testing.TB, dir string) {
	t.Helper()
	text := string(readFile(t, filepath.Join(root, "examples/home-lab/expected/build.yaml")))
	changed := strings.Replace(text, "\n  replicas: 1\n", "\n  replicas: 2\n", 1)
	if changed == text {
		t.Fatal("nothing to break")
	}
	for name, text := range map[string]string{"build.yaml": text, "broken.yaml": changed, "empty.yaml": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// The same rules through kubectl-tsunaro, conftest and opa, on every example.
//
// REQ: UP-08
func TestPrograms(t *testing.T) {
	all := []string{tool.KubectlName, "conftest", "opa"}
	conftest := func(files string) string {
		return "conftest test --combine --all-namespaces --policy policies --data policies/data.json " + files
	}
	opa := func(files, pkg string) string {
		return "kubectl-tsunaro check " + files + " --print-input | opa eval --bundle policies --stdin-input --fail-defined --format pretty " +
			"'data.tsunaro." + pkg + "[_].deny[_].msg'"
	}
	run := func(line string, code int, says string) {
		t.Helper()
		shell(t, root, line, all...).want(t, line, code, says)
	}
	for name := range examples {
		list := strings.Join(files(name), " ")
		run("kubectl-tsunaro check "+list, 0, "passed on")
		run(conftest(list), 0, " 0 failures")
		run(opa(list, "rendered"), 0, "undefined")
		run(opa(list, "transformed"), 0, "undefined")
	}

	dir := t.TempDir()
	broken(t, dir)
	const says = "StatefulSet/tsunaro-system/lab-gw: spec.replicas: must be 1, is 2"
	run("kubectl-tsunaro check "+dir+"/broken.yaml", 1, says)
	run(conftest(dir+"/broken.yaml"), 1, says)
	run(opa(dir+"/broken.yaml", "rendered"), 1, says)
	run("kubectl-tsunaro check "+dir+"/empty.yaml", 1, "holds no gateway")
	run(conftest(dir+"/empty.yaml"), 1, "holds no gateway")
	run(opa(dir+"/empty.yaml", "rendered"), 1, "holds no gateway")

	// A change: conftest knows the old build by its name.
	const stays = "spec.replicas: must stay 1, is 2"
	run("kubectl-tsunaro check "+dir+"/broken.yaml --old "+dir+"/build.yaml", 1, stays)
	run("mv "+dir+"/build.yaml "+dir+"/old.yaml", 0, "")
	run(conftest(dir+"/old.yaml "+dir+"/broken.yaml"), 1, stays)
	run(opa(dir+"/broken.yaml --old "+dir+"/old.yaml", "change"), 1, stays)
}

// kubectl finds the program as its plugin.
func TestKubectlPlugin(t *testing.T) {
	kubectl, err := tool.Path("kubectl-1.37")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Symlink(kubectl, filepath.Join(dir, "kubectl")); err != nil {
		t.Fatal(err)
	}
	line := "PATH=" + dir + ":$PATH kubectl tsunaro check examples/home-lab/expected/build.yaml"
	shell(t, root, line, tool.KubectlName).want(t, line, 0, "passed on")
}
