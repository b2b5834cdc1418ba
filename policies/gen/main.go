// Command gen writes what the policies and the program share: data.json, the
// tables of the program as data for Rego, and rules.yaml, the index of the rules
// as their metadata gives it. Its argument is the directory of the policies.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run . ..

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gen DIRECTORY")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

// generated are the files, and what makes them from the directory.
var generated = map[string]func(dir string) ([]byte, error){
	"data.json":  tables,
	"rules.yaml": index,

	filepath.Join("lib", "fixture", "fixture_test.rego"): fixture,
}

func run(dir string) error {
	for name, write := range generated {
		text, err := write(dir)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
