package tool

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var hello = program{name: "hello", module: "greeters", pkg: "./hello"}

const (
	helloMain = "test/tools/greeters/hello/main.go"
	word      = "word/word.go"
	function  = "kustomize-plugin/tsunaro-fn/main.go"
)

// tree is a source tree like this one, small and without dependencies.
func tree(t *testing.T) *builder {
	t.Helper()
	b := &builder{
		root: t.TempDir(), cache: filepath.Join(t.TempDir(), "cache"),
		goVersion: runtime.Version(), hostOS: runtime.GOOS, hostArch: runtime.GOARCH,
		log: io.Discard,
	}
	write(t, b, "go.mod", "module example.test/tree\n\ngo 1.26\n")
	write(t, b, "test/tools/greeters/go.mod", "module example.test/greeters\n\ngo 1.26\n")
	write(t, b, helloMain, "package main\n\nfunc main() { print(`hello`) }\n")
	write(t, b, word, "package word\n\nconst Word = `one`\n")
	write(t, b, function, "package main\n\nimport \"example.test/tree/word\"\n\nfunc main() { print(word.Word) }\n")
	return b
}

func write(t *testing.T, b *builder, name, text string) {
	t.Helper()
	path := filepath.Join(b.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// says runs the program and returns what it prints.
func says(t *testing.T, path string) string {
	t.Helper()
	out, err := exec.Command(path).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return string(out)
}

func TestToolIsBuiltOncePerContent(t *testing.T) {
	b := tree(t)
	var log bytes.Buffer
	b.log = &log
	build := func() string {
		t.Helper()
		log.Reset()
		path, err := b.tool(hello)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}

	first := build()
	if got := says(t, first); got != "hello" {
		t.Errorf("it says %q", got)
	}
	if want := "building hello (once, then cached)\nbuilt hello in "; !strings.HasPrefix(log.String(), want) {
		t.Errorf("progress was %q, want %q first", &log, want)
	}
	if again := build(); again != first || log.Len() != 0 {
		t.Errorf("unchanged sources were built again: %s, then %s (%s)", first, again, &log)
	}
	write(t, b, helloMain, "package main\n\nfunc main() { print(`goodbye`) }\n")
	if got := says(t, build()); got != "goodbye" {
		t.Errorf("after the source changed it says %q", got)
	}
	if got := says(t, first); got != "hello" {
		t.Errorf("the earlier build was overwritten: it says %q", got)
	}
}

func TestTagsAndStampsAreOfTheProgram(t *testing.T) {
	b := tree(t)
	write(t, b, helloMain, "//go:build loud\n\npackage main\n\nvar version = `none`\n\nfunc main() { print(`HELLO `, version) }\n")
	loud := hello
	loud.tags, loud.stamp = "loud", func(string) string { return "-X main.version=v1" }
	first, err := b.tool(loud)
	if err != nil {
		t.Fatal(err)
	}
	if got := says(t, first); got != "HELLO v1" {
		t.Errorf("it says %q", got)
	}
	loud.stamp = func(string) string { return "-X main.version=v2" }
	second, err := b.tool(loud)
	if err != nil {
		t.Fatal(err)
	}
	if got := says(t, second); got != "HELLO v2" {
		t.Errorf("stamped anew it says %q", got)
	}
}

// Test packages run in parallel processes; goroutines with a builder each open
// the lock file just as separately.
func TestParallelCallersBuildOnce(t *testing.T) {
	b := tree(t)
	var log lockedBuffer
	b.log = &log
	var wg sync.WaitGroup
	for range 4 {
		mine := *b
		wg.Go(func() {
			if _, err := mine.tool(hello); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := strings.Count(log.String(), "built hello"); n != 1 {
		t.Errorf("built %d times:\n%s", n, log.String())
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func TestFunctionFollowsEveryPackageItIsMadeOf(t *testing.T) {
	b := tree(t)
	first, err := b.product(FunctionName, b.hostOS, b.hostArch)
	if err != nil {
		t.Fatal(err)
	}
	write(t, b, "word/word_test.go", "package word\n")
	if again, err := b.product(FunctionName, b.hostOS, b.hostArch); err != nil || again != first {
		t.Errorf("a test file made it another build: %s, then %s, %v", first, again, err)
	}
	write(t, b, word, "package word\n\nconst Word = `two`\n")
	second, err := b.product(FunctionName, b.hostOS, b.hostArch)
	if err != nil {
		t.Fatal(err)
	}
	if got := says(t, second); got != "two" {
		t.Errorf("after a dependency changed it says %q", got)
	}
	if filepath.Base(second) != FunctionName {
		t.Errorf("%s does not have the plain name that kustomize looks for on PATH", second)
	}
	other, err := b.product(FunctionName, "linux", "s390x")
	if err != nil || other == second {
		t.Errorf("another target: %s, %v", other, err)
	}
}

func TestFailedBuildSaysWhyAndLeavesNothing(t *testing.T) {
	b := tree(t)
	var log bytes.Buffer
	b.log = &log
	write(t, b, helloMain, "package main\n\nfunc main() { undefinedName() }\n")
	for range 2 { // the second call must not find a half-made executable
		path, err := b.tool(hello)
		if err == nil || !strings.Contains(err.Error(), "undefined: undefinedName") || path != "" {
			t.Errorf("got %q, %v; want the compiler's words", path, err)
		}
	}
	if left, err := filepath.Glob(filepath.Join(b.cache, "hello-*", "*")); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
	if !strings.Contains(log.String(), "could not build hello") {
		t.Errorf("progress does not tell of the failure: %q", &log)
	}
}

func TestSourcesThatChangeMeanwhileAreNotCached(t *testing.T) {
	b := tree(t)
	b.log = writerFunc(func() { write(t, b, helloMain, "package main\n\nfunc main() { print(`changed`) }\n") })
	if path, err := b.tool(hello); err == nil || !strings.Contains(err.Error(), "changed meanwhile") {
		t.Errorf("got %s, %v", path, err)
	}
	path, err := b.tool(hello)
	if err != nil {
		t.Fatal(err)
	}
	if got := says(t, path); got != "changed" {
		t.Errorf("it says %q", got)
	}
}

// writerFunc runs whenever a build tells of its progress.
type writerFunc func()

func (f writerFunc) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

func TestUnusedBuildsAreForgotten(t *testing.T) {
	b := tree(t)
	old := filepath.Join(b.cache, "hello-0123456789abcdef")
	young := filepath.Join(b.cache, "hello-fedcba9876543210")
	foreign := filepath.Join(b.cache, "hello-world-0123456789abcdef")
	for _, dir := range []string{old, young, foreign} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		used := time.Now()
		if dir != young {
			used = used.Add(-unusedFor - time.Hour)
		}
		if err := os.Chtimes(dir, used, used); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.tool(hello); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]bool{old: false, young: true, foreign: true} {
		if _, err := os.Stat(dir); (err == nil) != want {
			t.Errorf("%s: kept %t, want %t", filepath.Base(dir), err == nil, want)
		}
	}
}

func TestProgressTicksOnATerminal(t *testing.T) {
	var log bytes.Buffer
	progress(&log, true, "hello v1")(nil)
	want := "\r\x1b[Kbuilding hello v1 (once, then cached) ... 0 s\r\x1b[Kbuilt hello v1 in 0 s\n"
	if log.String() != want {
		t.Errorf("got %q, want %q", &log, want)
	}
}

// Every module under test/tools is in the table, and every tool of the table is
// pinned by its module to one released version.
func TestTableAgreesWithModules(t *testing.T) {
	b, err := current()
	if err != nil {
		t.Fatal(err)
	}
	dirs, err := os.ReadDir(filepath.Join(b.root, "test", "tools"))
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		if !slices.ContainsFunc(programs, func(p program) bool { return p.module == dir.Name() }) {
			t.Errorf("test/tools/%s: no program in the table comes from it", dir.Name())
		}
	}
	if !slices.IsSorted(Names()) {
		t.Errorf("names are not in order: %v", Names())
	}
	list, err := List()
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range list {
		if own := strings.HasPrefix(programs[i].pkg, "./"); own != (s.Version == "") {
			t.Errorf("%s: version %q", s.Name, s.Version)
		}
	}
}

func TestUnknownToolNamesTheKnownOnes(t *testing.T) {
	_, err := Path("kustomise")
	if err == nil || !strings.Contains(err.Error(), "kustomize") {
		t.Errorf("got %v", err)
	}
}
