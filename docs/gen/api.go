package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/crd"
)

func apiPage() ([]byte, error) {
	p := newPage("API reference")
	p.line(`
The kinds of %s. `+"`kubectl explain`"+` shows the same texts. What a value must
look like in detail is said by the [rules](rules.md), and what the conditions in
a status mean by the [conditions](conditions.md).

A field's class says what a change of it means for a gateway that runs:

- **Identity**: it needs a new node or a new shape, and is reported as
  IdentityChanged until it is reverted.
- **Pinned**: it blocks until it is reverted (FreshBlocked).
- **Mutable**: it is carried out.

Every reference is to an object in the Tailnet's operator namespace.`, code(api.APIVersion))
	for _, k := range []struct {
		crd     []byte
		classes []api.Field
	}{
		{crd.Tailnets, api.TailnetFields},
		{crd.TailnetGateways, api.GatewayFields},
		{crd.TailnetEgresses, nil},
	} {
		if err := kind(p, k.crd, k.classes); err != nil {
			return nil, err
		}
	}
	return p.Bytes(), nil
}

func kind(p *page, b []byte, classes []api.Field) error {
	d, err := parse(b)
	if err != nil {
		return err
	}
	root := d.Spec.Versions[0].Schema.Root
	p.heading(d.Spec.Names.Kind)
	scope := "Cluster-scoped"
	if d.Spec.Scope == "Namespaced" {
		scope = "Namespaced"
	}
	p.line("%s\n\n%s; short name `%s`.\n", strings.TrimSpace(root.Description), scope, strings.Join(d.Spec.Names.ShortNames, "`, `"))
	if err := specTable(p, root.Properties["spec"], classes); err != nil {
		return fmt.Errorf("%s: %w", d.Spec.Names.Kind, err)
	}
	if status := root.Properties["status"]; status != nil {
		statusTable(p, status)
	}
	return nil
}

func specTable(p *page, spec *schema, classes []api.Field) error {
	if classes == nil {
		p.header("Field", "Type", "Default", "Required", "Meaning")
	} else {
		p.header("Field", "Type", "Default", "Required", "Class", "Meaning")
	}
	for _, f := range fields("spec", spec, readingOrder(classes)) {
		def, err := f.schema.defaultText()
		if err != nil {
			return fmt.Errorf("%s: %w", f.path, err)
		}
		required := ""
		if f.required {
			required = "yes"
		}
		row := []string{code(f.path), f.schema.typeName(), def, required, f.schema.meaning()}
		if classes != nil {
			class, _ := api.ClassOf(classes, f.path)
			row = slices.Insert(row, 4, string(class))
		}
		p.row(row...)
	}
	return nil
}

// statusTable shows a status. A condition's own fields are the same in every
// API and are left out.
func statusTable(p *page, status *schema) {
	p.line("")
	p.header("Status field", "Type", "Meaning")
	for _, f := range fields("status", status, strings.Compare) {
		if !strings.HasPrefix(f.path, "status.conditions[]") {
			p.row(code(f.path), f.schema.typeName(), f.schema.meaning())
		}
	}
}

// readingOrder orders fields as the table of classes lists them.
func readingOrder(classes []api.Field) func(a, b string) int {
	rank := func(path string) int {
		for i, f := range classes {
			if f.Path == path || strings.HasPrefix(f.Path, path+".") || strings.HasPrefix(f.Path, path+"[]") {
				return i
			}
		}
		return math.MaxInt
	}
	return func(a, b string) int { return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a, b)) }
}
