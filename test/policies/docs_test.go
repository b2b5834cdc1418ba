package policies

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/test/testbed/tool"
)

// blocks returns the code blocks of a language in docs/check.md, in order.
func blocks(t testing.TB, language string) []string {
	t.Helper()
	text := string(readFile(t, root+"/docs/check.md"))
	var out []string
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// recipe reads the one block of YAML that names its file in the first line.
func recipe(t testing.TB, file string, into any) {
	t.Helper()
	for _, b := range blocks(t, "yaml") {
		if strings.HasPrefix(b, "# "+file+"\n") {
			if err := yaml.Unmarshal([]byte(b), into); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no block for %s", file)
}

// repository is a Git repository with one gateway on main, checked out at a
// branch from it. Its parent directory is the test's own, as a runner's is.
func repository(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "repository")
	if err := os.CopyFS(filepath.Join(dir, "gateways", "lab-gw"), os.DirFS(root+"/examples/home-lab")); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init -q -b main", "add .", "commit -q -m main", "checkout -q -b change")
	return dir
}

func git(t testing.TB, dir string, commands ...string) {
	t.Helper()
	for _, c := range commands {
		args := append([]string{"-c", "user.name=a", "-c", "user.email=a@example.test"}, strings.Fields(c)...)
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", c, err, out)
		}
	}
}

// changesOf are what pull requests do to the repository, with the exit code and
// a part of what a check says of each.
var changesOf = []struct {
	why, file, old, text string
	code                 int
	says                 string
}{
	{"nothing that matters", "gateways/lab-gw/gateway.yaml", "192.168.10.0/24", "192.168.12.0/24", 0, ""},
	{"an identity field", "gateways/lab-gw/gateway.yaml", "loadBalancerIP: 10.99.0.53", "loadBalancerIP: 10.99.0.54", 1, "change/gateway"},
	{"the function no longer runs", "gateways/lab-gw/kustomization.yaml", "transformers:\n- render.yaml\n", "", 1, "the function did not run"},
	{"a pinned field", "gateways/lab-gw/gateway.yaml", "spec:\n", "spec:\n  pod: {nodeSelector: {site: a}}\n", 1, "change/objects"},
}

// apply makes a change in a fresh repository and commits it.
func apply(t testing.TB, i int) string {
	t.Helper()
	c, dir := changesOf[i], repository(t)
	name := filepath.Join(dir, c.file)
	text := string(readFile(t, name))
	changed := strings.Replace(text, c.old, c.text, 1)
	if changed == text {
		t.Fatalf("%s: %q is not in %s", c.why, c.old, c.file)
	}
	if err := os.WriteFile(name, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "add .", "commit -q -m change")
	return dir
}

var pipeline = []string{"kustomize", tool.FunctionName, tool.KubectlName}

// The lines of the workflow for GitHub Actions and of the job for GitLab CI, as
// they are, on pull requests of a repository; also on one that removes a gateway
// and on one that adds the first.
//
// REQ: UP-08
func TestPipelines(t *testing.T) {
	var workflow struct {
		Jobs struct {
			Check struct {
				Steps []struct{ Name, Shell, Run string }
			}
		}
	}
	recipe(t, ".github/workflows/gateways.yaml", &workflow)
	var actions string
	for _, s := range workflow.Jobs.Check.Steps {
		switch s.Name {
		case "Install":
			installs(t, strings.Split(strings.TrimSpace(s.Run), "\n"))
		case "Check":
			if s.Shell != "bash" { // which is bash -eo pipefail
				t.Errorf("the shell is %q", s.Shell)
			}
			actions = "export BASE=main\n" + s.Run
		}
	}
	var job struct {
		Gateways struct {
			Before []string `yaml:"before_script"`
			Script []string
		}
	}
	recipe(t, ".gitlab-ci.yml", &job)
	installs(t, job.Gateways.Before)
	gitlab := "export CI_MERGE_REQUEST_DIFF_BASE_SHA=$(git rev-parse main)\n" + strings.Join(job.Gateways.Script, "\n")

	for name, lines := range map[string]string{"actions": actions, "gitlab": gitlab} {
		run := func(why, dir string, code int, says string) {
			t.Helper()
			r := shell(t, dir, lines, pipeline...)
			if name == "gitlab" {
				report, err := os.ReadFile(filepath.Join(dir, "check.xml"))
				if err != nil {
					t.Fatal(err)
				}
				r.stdout += string(report)
			}
			r.want(t, name+", "+why, code, says)
		}
		for i, c := range changesOf {
			run(c.why, apply(t, i), c.code, c.says)
		}
		removed := repository(t)
		git(t, removed, "rm -q -r gateways/lab-gw", "commit -q -m change")
		run("the only gateway is gone", removed, 1, "change/dropped")
		first := repository(t)
		git(t, first, "checkout -q main", "rm -q -r gateways/lab-gw", "commit -q -m none", "checkout -q -b first", "revert --no-edit HEAD")
		run("the first gateway", first, 0, "")
	}
}

// The hook for pre-commit; what needs the old build is not its business.
func TestPreCommit(t *testing.T) {
	var config struct {
		Repos []struct {
			Hooks []struct{ Entry string }
		}
	}
	recipe(t, ".pre-commit-config.yaml", &config)
	entry := config.Repos[0].Hooks[0].Entry
	for i, c := range changesOf {
		code, says := c.code, c.says
		if strings.HasPrefix(says, "change/") {
			code, says = 0, ""
		}
		shell(t, apply(t, i), entry, pipeline...).want(t, "pre-commit, "+c.why, code, says)
	}
}

// installs fails the test unless each line installs a package that exists: one of
// our own, or a tool in the version that is tested here.
func installs(t testing.TB, lines []string) {
	t.Helper()
	if len(lines) != 3 {
		t.Errorf("%d programs, want 3", len(lines))
	}
	for _, line := range lines {
		spec, ok := strings.CutPrefix(line, "go install ")
		pkg, version, found := strings.Cut(spec, "@")
		dir := root
		if !strings.HasPrefix(pkg, "tsunaro.io/gateway/") {
			dir = root + "/test/tools/kustomize"
		}
		cmd := exec.Command("go", "list", "-json=Name,Module", pkg)
		cmd.Dir = dir
		out, err := cmd.Output()
		var p struct {
			Name   string
			Module struct{ Version string }
		}
		if err != nil || json.Unmarshal(out, &p) != nil || !ok || !found || p.Name != "main" || dir != root && p.Module.Version != version {
			t.Errorf("%s: %+v %v", line, p, err)
		}
	}
}

// Every other line of the page, in a directory with what it speaks of.
func TestCommandLines(t *testing.T) {
	dir := repository(t)
	kubectl, err := tool.Path("kubectl-1.37")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(kubectl, filepath.Join(dir, "kubectl")); err != nil {
		t.Fatal(err)
	}
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(top, "policies"), filepath.Join(dir, "policies")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "old.yaml"), readFile(t, root+"/examples/home-lab/expected/build.yaml"), 0o644); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, b := range blocks(t, "sh") {
		for line := range strings.Lines(b) {
			n++
			line = strings.TrimSpace(line)
			shell(t, dir, "PATH=$PWD:$PATH; "+line, append([]string{"opa", "conftest"}, pipeline...)...).want(t, line, 0, "")
		}
	}
	if n < 10 {
		t.Errorf("%d lines, want at least 10", n)
	}
}
