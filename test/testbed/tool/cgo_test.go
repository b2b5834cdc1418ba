package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMissingPackagesAreNamed(t *testing.T) {
	const pkgConfig, gcc = "#!/bin/sh\n", "#!/bin/sh\ncase $1 in %s) echo /lib/archive;; *) echo \"${1#*=}\";; esac\n"
	for _, c := range []struct {
		why     string
		scripts map[string]string
		want    string
	}{
		{"nothing is there", nil, "apt-get install pkg-config gcc libc6-dev libseccomp-dev"},
		{"a compiler without libraries", map[string]string{"pkg-config": pkgConfig, "gcc": fmt.Sprintf(gcc, "none")},
			"apt-get install libc6-dev libseccomp-dev"},
		{"the library alone", map[string]string{"pkg-config": pkgConfig, "gcc": fmt.Sprintf(gcc, "*libc.a")},
			"apt-get install libseccomp-dev"},
		{"all is there", map[string]string{"pkg-config": pkgConfig, "gcc": fmt.Sprintf(gcc, "*")}, ""},
	} {
		t.Setenv("PATH", scripts(t, c.scripts))
		switch err := seccomp.check(); {
		case err == nil && c.want != "":
			t.Errorf("%s: no error, want %q", c.why, c.want)
		case err != nil && (c.want == "" || !strings.HasSuffix(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", c.why, err, c.want)
		}
	}
}

// scripts returns a directory with executable files.
func scripts(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
