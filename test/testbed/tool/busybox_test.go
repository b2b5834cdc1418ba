package tool

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestBusyboxMustBeThereAndStatic(t *testing.T) {
	b := tree(t)
	static, err := b.tool(hello)
	if err != nil {
		t.Fatal(err)
	}
	if path, err := busybox(static); err != nil || path != static {
		t.Errorf("a static executable: %q, %v", path, err)
	}
	dynamic, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	for why, path := range map[string]string{"nothing": filepath.Join(t.TempDir(), "busybox"), "a dynamic one": dynamic} {
		if got, err := busybox(path); err == nil || !strings.HasSuffix(err.Error(), "apt-get install busybox-static") {
			t.Errorf("%s: %q, %v", why, got, err)
		}
	}
}
