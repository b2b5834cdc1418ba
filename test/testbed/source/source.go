// Package source finds files of the source tree, from wherever in it a test runs.
package source

import (
	"os"
	"path/filepath"
	"testing"
)

// Path is where a file of the source tree is, given from the root.
func Path(t testing.TB, file string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(dir, file)
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod from here upwards")
		}
		dir = filepath.Dir(dir)
	}
}
