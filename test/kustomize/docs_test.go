package kustomize_test

import (
	"os"
	"strings"
	"testing"
)

const (
	docs       = "../../docs/kustomize.md"
	tableBegin = "<!-- matrix: written by the tests -->\n"
	tableEnd   = "<!-- end of matrix -->\n"
)

// docs/kustomize.md holds the matrix as it is tested. UPDATE_GOLDEN=1 writes it.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(docs)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begun := strings.Cut(string(text), tableBegin)
	have, tail, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatalf("%s has no place for the matrix", docs)
	}
	want := table()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(docs, []byte(head+tableBegin+want+tableEnd+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if have != want {
		t.Errorf("%s: the matrix is not the tested one; UPDATE_GOLDEN=1 writes it. Want:\n%s", docs, want)
	}
}

func table() string {
	var b strings.Builder
	b.WriteString("| Setting | In the function's own layer | In an outer layer | Beside the function as a generator | Write instead |\n|---|---|---|---|---|\n")
	for _, r := range matrix {
		b.WriteString("| " + strings.Join([]string{r.use, r.same.text(), r.outer.text(), r.generator.text(), r.instead}, " | ") + " |\n")
	}
	return b.String()
}

func (c cell) text() string {
	switch {
	case c.why == "":
		return string(c.outcome)
	case c.outcome == right:
		return string(c.outcome) + "; " + c.why
	}
	return string(c.outcome) + ": " + c.why
}
