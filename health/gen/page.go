package main

import (
	"bytes"
	"fmt"
	"io/fs"

	"tsunaro.io/gateway/health/corpus"
)

// The table of docs/health.md stands between these lines.
const (
	tableBegins = "<!-- states: written by make generate -->\n"
	tableEnds   = "<!-- end of states -->\n"
)

// page is docs/health.md with the table of what was seen in the lab.
func page(root fs.FS) ([]byte, error) {
	text, err := fs.ReadFile(root, "docs/health.md")
	if err != nil {
		return nil, err
	}
	before, rest, begins := bytes.Cut(text, []byte(tableBegins))
	_, after, ends := bytes.Cut(rest, []byte(tableEnds))
	if !begins || !ends {
		return nil, fmt.Errorf("no place for the table")
	}
	all, err := states(root)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.Write(before)
	b.WriteString(tableBegins)
	b.WriteString("| State | `kubectl tsunaro` | Argo CD | Flux, step one | Flux, step two | kstatus |\n|---|---|---|---|---|---|\n")
	for _, s := range all {
		if s.From == corpus.Recorded {
			fmt.Fprintf(&b, "| %s: %s | %s | %s | %s | %s | %s |\n", s.Kind(), s.Why, s.Health, s.ArgoCD(), s.Bound, s.Flux, s.KStatus)
		}
	}
	b.WriteString(tableEnds)
	b.Write(after)
	return b.Bytes(), nil
}
