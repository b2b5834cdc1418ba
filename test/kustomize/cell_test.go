package kustomize_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// outcome is who deals with a setting.
type outcome string

const (
	right             outcome = "works"
	functionRefuses   outcome = "refused"
	checkRenderFails  outcome = "`check-render` fails"
	kustomizeItselfNo outcome = "kustomize refuses"
)

// cell is what becomes of a setting in one place.
type cell struct {
	outcome outcome
	why     string   // for the reader of docs/kustomize.md
	lines   []string // what is asserted; the form depends on the outcome
	single  bool     // the inputs are changed: the build is checked on its own
}

// works: the build is right, these fields are as listed, and check-render agrees.
func works(why string, fields ...string) cell { return cell{right, why, fields, false} }

// alone is for inputs that the layer changes before they are rendered: the
// directory holds something else than what the build holds.
func (c cell) alone() cell { c.single = true; return c }

// refused: the function refuses with exactly these findings, "rule object path".
func refused(why string, findings ...string) cell { return cell{functionRefuses, why, findings, false} }

// caught: the build comes out, and check-render fails with exactly these results,
// "verdict object path".
func caught(why string, results ...string) cell { return cell{checkRenderFails, why, results, false} }

// kustomizeRefuses: kustomize ends with this text before the function's output
// is there.
func kustomizeRefuses(why, text string) cell {
	return cell{kustomizeItselfNo, why, []string{text}, false}
}

// minRows keeps an emptied table from passing.
const minRows = 20

// No setting of a kustomization file gives a wrong gateway without a word.
//
// REQ: RN-10, RN-12, RN-13, DN-13
func TestMatrix(t *testing.T) {
	if len(matrix) < minRows {
		t.Fatalf("%d rows, want at least %d", len(matrix), minRows)
	}
	for _, r := range matrix {
		t.Run(r.use, func(t *testing.T) {
			t.Parallel()
			t.Run("same", func(t *testing.T) { r.same.check(t, transformer(r).Write(t), "", r) })
			t.Run("outer", func(t *testing.T) {
				l := transformer(row{generated: r.generated}).Under("inner")
				l["kustomization.yaml"] = "resources: [inner]\n" + r.fields + "\n"
				r.outer.check(t, l.Write(t), "inner", r)
			})
			t.Run("generator", func(t *testing.T) { r.generator.check(t, generator(r).Write(t), "", r) })
		})
	}
}

// transformer is the base layer with the function as a transformer.
func transformer(r row) kustomize.Layer {
	resources := "resources: [tailnet.yaml, gateway.yaml, egress.yaml, hosts.yaml]\n"
	l := kustomize.Base().With(kustomize.Layer{"generate.yaml": ""})
	if r.generated {
		resources = strings.Replace(resources, ", hosts.yaml", "", 1)
		delete(l, "hosts.yaml")
	}
	l["kustomization.yaml"] = resources + "transformers: [render.yaml]\n" + r.fields + "\n"
	return l
}

// generator is the base layer with the function as a generator.
func generator(r row) kustomize.Layer {
	l := kustomize.Base().With(kustomize.Layer{"render.yaml": ""})
	if r.generated {
		l["generate.yaml"] = strings.Replace(l["generate.yaml"], ", hosts.yaml", "", 1)
		delete(l, "hosts.yaml")
	}
	l["kustomization.yaml"] = "generators: [generate.yaml]\n" + r.fields + "\n"
	return l
}

// check builds dir and holds what comes of it against the cell; the function is
// in the directory inner below dir.
func (c cell) check(t *testing.T, dir, inner string, r row) {
	build := kustomize.Build(t, dir)
	switch c.outcome {
	case functionRefuses:
		build.Refused(t, c.lines...)
		return
	case kustomizeItselfNo:
		if build.Refused(t); !strings.Contains(build.Stderr, c.lines[0]) {
			t.Errorf("want %q in:\n%s", c.lines[0], build.Stderr)
		}
		return
	}
	build.Must(t)
	inputs := []string{filepath.Join(dir, inner)}
	if c.single {
		inputs = nil
	}
	check := kustomize.Check(t, build.Stdout, inputs...)
	if c.outcome == checkRenderFails {
		if check.Code != 1 {
			t.Errorf("check-render: exit code %d, want 1", check.Code)
		}
		kustomize.Same(t, check.Failures(t, dir), c.lines)
		return
	}
	if check.Code != 0 {
		t.Errorf("check-render: exit code %d:\n%s%s", check.Code, check.Stdout, check.Stderr)
	}
	objects := kustomize.Parse(t, build.Stdout)
	if n := len(objects.Rendered()); n != 9 {
		t.Errorf("%d rendered objects, want 9", n)
	}
	for _, line := range c.lines {
		assert(t, objects, line)
	}
}

var fieldLine = regexp.MustCompile(`^(\S+) (\S+) (?:(is absent)|(=|~|!~) (.*))$`)

// assert checks a line such as "Kind/name path = value"; ~ means contains.
func assert(t *testing.T, objects kustomize.Objects, line string) {
	t.Helper()
	m := fieldLine.FindStringSubmatch(line)
	if m == nil {
		t.Fatalf("%q is no assertion", line)
	}
	object, ok := objects[m[1]]
	if !ok {
		t.Fatalf("no %s among %s", m[1], objects.Names())
	}
	value, found := kustomize.At(object, m[2])
	text, _ := value.(string)
	switch {
	case m[3] != "" && !found,
		m[4] == "=" && found && text == m[5],
		m[4] == "~" && strings.Contains(text, m[5]),
		m[4] == "!~" && found && !strings.Contains(text, m[5]):
	default:
		t.Errorf("%s: it is %v", line, value)
	}
}
