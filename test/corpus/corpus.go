package corpus

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Engine is an implementation that a case runs through.
type Engine string

// The engines.
const (
	Render   Engine = "render"   // renderer.Render, on the documents
	CRD      Engine = "crd"      // the API server's validation of one object by its CRD
	Function Engine = "function" // the KRM function, on a whole ResourceList
)

// Rule is a rule with its cases.
type Rule struct {
	ID      string   `yaml:"id"`
	Text    string   `yaml:"text"`
	Engines []Engine `yaml:"engines"`
	Why     string   `yaml:"why"`
	Object  string   `yaml:"object"`  // of the refused cases that name none
	Path    string   `yaml:"path"`    // likewise
	CRDPath *string  `yaml:"crdPath"` // likewise
	Accept  []Case   `yaml:"accept"`
	Refuse  []Case   `yaml:"refuse"`
}

// Case is one input and, when it is to be refused, where.
type Case struct {
	Why     string         `yaml:"why"`
	Engines []Engine       `yaml:"engines"` // empty: those of the rule
	With    []string       `yaml:"with"`
	Drop    []string       `yaml:"drop"`
	Set     map[string]any `yaml:"set"`
	Unset   []string       `yaml:"unset"`
	Add     string         `yaml:"add"`
	Input   string         `yaml:"input"`
	Old     map[string]any `yaml:"old"`
	Object  string         `yaml:"object"` // Kind/name, Kind/namespace/name or input
	Path    string         `yaml:"path"`
	CRDPath *string        `yaml:"crdPath"`
}

// In reports whether the case runs through engine e.
func (c Case) In(e Engine) bool { return slices.Contains(c.Engines, e) }

//go:embed base/*.yaml
var base embed.FS

//go:embed rules.yaml
var rulesYAML string

// names are the base documents in their order in an input. The document second
// is there only for a case that asks for it.
var names = []string{"tailnet", "gateway", "second", "egress", "hosts"}

// BaseFile returns the bytes of a base document: tailnet, gateway, second,
// egress or hosts.
func BaseFile(name string) ([]byte, error) {
	return base.ReadFile("base/" + name + ".yaml")
}

// Load returns every rule with its cases, in the order of the file, with the
// engines of each case filled in. It fails on an unknown key, on a repeated
// rule and on a case that says less than it must.
func Load() ([]Rule, error) { return parse(rulesYAML) }

func parse(text string) ([]Rule, error) {
	dec := yaml.NewDecoder(strings.NewReader(expand(text)))
	dec.KnownFields(true)
	var rules []Rule
	if err := dec.Decode(&rules); err != nil {
		return nil, fmt.Errorf("corpus: %w", err)
	}
	if err := dec.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, errors.New("corpus: rules.yaml holds more than one document")
	}
	seen := map[string]bool{}
	for i := range rules {
		r := &rules[i]
		if r.ID == "" || r.Text == "" || r.Why == "" || len(r.Engines) == 0 || seen[r.ID] {
			return nil, fmt.Errorf("corpus: rule %d (%s): incomplete or repeated", i, r.ID)
		}
		seen[r.ID] = true
		if err := errors.Join(complete(r, r.Accept, false), complete(r, r.Refuse, true)); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

// complete checks the cases of one side of a rule and fills in their engines.
func complete(r *Rule, cases []Case, refuse bool) error {
	known := []Engine{Render, CRD, Function}
	for i := range cases {
		c := &cases[i]
		if c.Engines == nil {
			c.Engines = r.Engines
		}
		if refuse {
			c.inherit(r)
		}
		for _, e := range c.Engines {
			if !slices.Contains(known, e) {
				return fmt.Errorf("corpus: %s: unknown engine %q", r.ID, e)
			}
		}
		switch {
		case c.Why == "":
			return fmt.Errorf("corpus: %s: case %d says not why", r.ID, i)
		case refuse == (c.Object == ""):
			return fmt.Errorf("corpus: %s: %s: an object is named exactly when the case is refused", r.ID, c.Why)
		case c.Input != "" && (c.Set != nil || c.Unset != nil || c.Add != "" || c.With != nil || c.Drop != nil):
			return fmt.Errorf("corpus: %s: %s: input replaces everything else", r.ID, c.Why)
		}
	}
	return nil
}

// inherit fills in where the rule's cases are refused.
func (c *Case) inherit(r *Rule) {
	c.Object = cmp.Or(c.Object, r.Object)
	c.Path = cmp.Or(c.Path, r.Path)
	if c.CRDPath == nil {
		c.CRDPath = r.CRDPath
	}
}

// Document is one object of a case: its name in base, and its fields.
type Document struct {
	Name   string
	Object map[string]any
}

// Documents returns the base documents as the case changes them, without the
// texts of add and input.
func (c Case) Documents() ([]Document, error) {
	docs, err := c.baseDocuments()
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(c.Set)) {
		if err := set(docs, key, c.Set[key]); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Why, err)
		}
	}
	for _, key := range c.Unset {
		if err := unset(docs, key); err != nil {
			return nil, fmt.Errorf("%s: %w", c.Why, err)
		}
	}
	return docs, nil
}

func (c Case) baseDocuments() ([]Document, error) {
	for _, name := range slices.Concat(c.With, c.Drop) {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("%s: no base document %q", c.Why, name)
		}
	}
	var docs []Document
	for _, name := range names {
		if slices.Contains(c.Drop, name) || name == "second" && !slices.Contains(c.With, name) {
			continue
		}
		b, err := BaseFile(name)
		if err != nil {
			return nil, err
		}
		d := Document{Name: name}
		if err := yaml.Unmarshal(b, &d.Object); err != nil {
			return nil, err
		}
		docs = append(docs, d)
	}
	return docs, nil
}

// Docs returns the whole input of the case as a stream of YAML documents.
func (c Case) Docs() ([]byte, error) {
	if c.Input != "" {
		return []byte(c.Input), nil
	}
	docs, err := c.Documents()
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, d := range docs {
		b, err := yaml.Marshal(d.Object)
		if err != nil {
			return nil, err
		}
		out.WriteString("---\n")
		out.Write(b)
	}
	if c.Add != "" {
		out.WriteString("---\n" + c.Add)
	}
	return out.Bytes(), nil
}

var repetition = regexp.MustCompile(`<([^<>*\n]+)\*([0-9]+)>`)

// expand replaces every <text*n> by n copies of the text.
func expand(s string) string {
	return repetition.ReplaceAllStringFunc(s, func(m string) string {
		sub := repetition.FindStringSubmatch(m)
		n, err := strconv.Atoi(sub[2])
		if err != nil {
			return m
		}
		return strings.Repeat(sub[1], n)
	})
}
