package kustomize_test

import (
	"strings"
	"testing"

	"tsunaro.io/gateway/test/testbed/page"
)

// docs/kustomize.md holds the matrix as it is tested.
func TestDocs(t *testing.T) {
	page.Page("../../docs/kustomize.md").Written(t, "matrix", table())
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
