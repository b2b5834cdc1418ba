// Command gen writes the reference pages from what the program itself goes by:
// the CRDs, the table of conditions and the table of admission rules. Its
// argument is the directory to write to.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

//go:generate go run . ../reference

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

func run(dir string) error {
	for _, p := range pages {
		text, err := p.write()
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, p.name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// pages are the generated files.
var pages = []struct {
	name  string
	write func() ([]byte, error)
}{
	{"api.md", apiPage},
	{"conditions.md", conditionsPage},
	{"rules.md", rulesPage},
	{"policies.md", policiesPage},
}
