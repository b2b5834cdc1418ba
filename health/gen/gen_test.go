package main

import (
	"bytes"
	"io/fs"
	"os"
	"testing"
)

// REQ: ST-05
func TestGeneratedIsCurrent(t *testing.T) {
	root := os.DirFS("../..")
	for _, f := range files() {
		want, err := f.write(root)
		if err != nil {
			t.Fatalf("%s: %v", f.name, err)
		}
		got, err := fs.ReadFile(root, f.name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what health/gen writes: run `make generate`, and read and commit the difference", f.name)
		}
	}
}
