package policies

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"go.yaml.in/yaml/v3"
)

//go:embed rendered transformed change drift lib data.json rules.yaml
var files embed.FS

// Package is a set of rules that look at the same input.
type Package string

// The packages.
const (
	Rendered    Package = "rendered"    // each object of a build, against the requirements
	Transformed Package = "transformed" // the objects of a build, against each other
	Change      Package = "change"      // a build against the one that it replaces
	Drift       Package = "drift"       // live objects against desired ones
)

// Rule is what the metadata of a rule says.
type Rule struct {
	ID           string   `yaml:"id" json:"id"` // package/name
	Title        string   `yaml:"title" json:"title"`
	Description  string   `yaml:"description" json:"description"`
	Requirements []string `yaml:"requirements,flow" json:"requirements"`
	Severity     string   `yaml:"severity" json:"severity"` // error
	Remedy       string   `yaml:"remedy" json:"remedy"`
}

// Package is the package that the rule belongs to.
func (r Rule) Package() Package { return Package(path.Dir(r.ID)) }

// Rules returns the index of all rules, sorted by ID.
func Rules() ([]Rule, error) {
	data, err := files.ReadFile("rules.yaml")
	if err != nil {
		return nil, err
	}
	var rules []Rule
	return rules, yaml.Unmarshal(data, &rules)
}

// Finding is one rule broken at one place.
type Finding struct {
	ID           string   `json:"id"`
	Severity     string   `json:"severity"`
	Requirements []string `json:"requirements"`
	Object       string   `json:"object"` // Kind/namespace/name, or build
	Path         string   `json:"path,omitempty"`
	Text         string   `json:"text"` // reads on from the field
	Remedy       string   `json:"remedy"`

	Want any `json:"want,omitempty"` // of drift only
	Have any `json:"have,omitempty"`
}

// Input is what rules look at: objects as a JSON decoder gives them.
type Input struct {
	New     []any `json:"new"`           // the build
	Old     []any `json:"old,omitempty"` // the one that it replaces
	Desired []any `json:"desired,omitempty"`
	Live    []any `json:"live,omitempty"`
}

// Eval compiles the rules of the packages and returns their findings.
func Eval(ctx context.Context, packages []Package, in Input) ([]Finding, error) {
	e, err := New(ctx, packages)
	if err != nil {
		return nil, err
	}
	return e.Eval(ctx, in)
}

// Engine runs the rules of some packages.
type Engine struct{ queries []rego.PreparedEvalQuery }

// New compiles the rules. Those named in without are left out.
func New(ctx context.Context, packages []Package, without ...string) (*Engine, error) {
	compiler, err := compile(without)
	if err != nil {
		return nil, err
	}
	data, err := files.ReadFile("data.json")
	if err != nil {
		return nil, err
	}
	store := inmem.NewFromReader(bytes.NewReader(data))
	e := &Engine{}
	for _, p := range packages {
		q, err := rego.New(rego.Query("f := data.tsunaro."+string(p)+"[_].deny[_]"), rego.Compiler(compiler), rego.Store(store)).PrepareForEval(ctx)
		if err != nil {
			return nil, err
		}
		e.queries = append(e.queries, q)
	}
	return e, nil
}

// compile compiles all modules but tests and the rules left out.
func compile(without []string) (*ast.Compiler, error) {
	modules := map[string]*ast.Module{}
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".rego" || strings.HasSuffix(name, "_test.rego") || slices.Contains(without, path.Dir(name)) {
			return err
		}
		text, err := files.ReadFile(name)
		if err != nil {
			return err
		}
		modules[name], err = ast.ParseModuleWithOpts(name, string(text), ast.ParserOptions{ProcessAnnotation: true})
		return err
	})
	if err != nil {
		return nil, err
	}
	compiler := ast.NewCompiler()
	if compiler.Compile(modules); compiler.Failed() {
		return nil, compiler.Errors
	}
	return compiler, nil
}

// Eval returns all findings about the input, sorted by object, path and rule.
func (e *Engine) Eval(ctx context.Context, in Input) ([]Finding, error) {
	value, err := ast.InterfaceToValue(in)
	if err != nil {
		return nil, err
	}
	var findings []Finding
	for _, q := range e.queries {
		results, err := q.Eval(ctx, rego.EvalParsedInput(value))
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			f, err := finding(r.Bindings["f"])
			if err != nil {
				return nil, err
			}
			findings = append(findings, f)
		}
	}
	slices.SortFunc(findings, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(a.Object, b.Object), cmp.Compare(a.Path, b.Path), cmp.Compare(a.ID, b.ID), cmp.Compare(a.Text, b.Text))
	})
	return findings, nil
}

func finding(v any) (f Finding, err error) {
	data, err := json.Marshal(v)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(data, &f); err != nil {
		return f, fmt.Errorf("policies: not a finding: %w", err)
	}
	return f, nil
}
