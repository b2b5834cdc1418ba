package main

import (
	"strings"

	"tsunaro.io/gateway/policies"
)

// about says what the rules of each package look at, in the page's order.
var about = []struct {
	pkg  policies.Package
	text string
}{
	{policies.Rendered, "Each object of a build, against the requirements."},
	{policies.Transformed, "The objects of a build against each other and, where it holds them, against the CRs: what layers around the function may have broken."},
	{policies.Change, "A build against the one that it replaces (`--old`)."},
	{policies.Drift, "Live objects against desired ones; not part of `check`."},
}

func policiesPage() ([]byte, error) {
	all, err := policies.Rules()
	if err != nil {
		return nil, err
	}
	p := newPage("Policies")
	p.line(`
The rules that ` + "`kubectl tsunaro check`" + ` runs on finished builds ([check.md](../check.md)), and that conftest and opa
run from the directory ` + "`policies`" + `. The ID in brackets at the end of a finding is stable, so that pipelines may match
on it; ` + "`--rule ID`" + ` runs one rule alone, and ` + "`kubectl tsunaro rules ID`" + ` explains it.`)
	for _, a := range about {
		p.heading(string(a.pkg))
		p.line("%s", a.text)
		p.line("")
		p.header("ID", "Rule", "Why", "What to do", "Requirements")
		for _, r := range all {
			if r.Package() == a.pkg {
				p.row(code(r.ID), r.Title, r.Description, r.Remedy, strings.Join(r.Requirements, ", "))
			}
		}
	}
	return p.Bytes(), nil
}
