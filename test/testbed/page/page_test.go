package page

import (
	"os"
	"path/filepath"
	"testing"
)

// failing notes a failure instead of failing.
type failing struct {
	testing.TB
	failed bool
}

func (f *failing) Errorf(string, ...any) { f.failed = true }

// What is not as it should be fails, and is written where that is asked for.
func TestWritten(t *testing.T) {
	p := Page(filepath.Join(t.TempDir(), "page.md"))
	const text = "# Page\n<!-- a: written by the tests -->\nold\n<!-- end of a -->\nrest\n```sh\nls\n```\n"
	if err := os.WriteFile(string(p), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("UPDATE_GOLDEN", "")
	f := &failing{TB: t}
	if p.Written(f, "a", "old\n"); f.failed {
		t.Error("it is as it should be")
	}
	if p.Written(f, "a", "new\n"); !f.failed || p.Text(t) != text {
		t.Error("it is not, and does not fail, or was written")
	}
	if b := p.Block(t, "sh", "ls"); b != "ls\n" {
		t.Errorf("%q", b)
	}
	t.Setenv("UPDATE_GOLDEN", "1")
	p.Written(t, "a", "new\n")
	t.Setenv("UPDATE_GOLDEN", "")
	p.Written(t, "a", "new\n")
}
