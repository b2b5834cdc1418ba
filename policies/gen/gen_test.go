package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"tsunaro.io/gateway/policies"
)

// What is generated is what would be generated.
func TestGeneratedIsCurrent(t *testing.T) {
	for name, write := range generated {
		want, err := write("..")
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s is not what policies/gen writes: run `make generate`, and read and commit the difference", name)
		}
	}
}

// Every rule has tests beside it, and the index is the one that is embedded.
func TestIndex(t *testing.T) {
	rules, err := policies.Rules()
	if err != nil || len(rules) < 40 {
		t.Fatalf("%d rules (%v), want at least 40", len(rules), err)
	}
	counts := map[policies.Package]int{}
	for _, r := range rules {
		counts[r.Package()]++
		base := filepath.Base(r.ID)
		if _, err := os.Stat(filepath.Join("..", filepath.FromSlash(r.ID), base+"_test.rego")); err != nil {
			t.Error(err)
		}
	}
	if len(counts) != len(packages) {
		t.Errorf("packages %v", counts)
	}
}
