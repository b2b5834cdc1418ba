// Command gen writes what Argo CD and Flux are given, from the table of conditions
// and the corpus of states. Its argument is the root of the repository.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"tsunaro.io/gateway/renderer/api"
)

//go:generate go run . ../..

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

// run writes each file before the next is made: some hold others.
func run(dir string) error {
	for _, f := range files() {
		text, err := f.write(os.DirFS(dir))
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, f.name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// kinds are the kinds that have a health.
var kinds = []string{api.KindTailnetGateway, api.KindTailnet}
