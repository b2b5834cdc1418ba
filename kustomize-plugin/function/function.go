package function

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"tsunaro.io/gateway/kustomize-plugin/source"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/admit"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

// ErrNotAResourceList is the error of standard input that is something else.
var ErrNotAResourceList = errors.New("standard input is not a ResourceList (config.kubernetes.io/v1): " +
	"kustomize and kpt send one; to render plain documents, run `tsunaro-fn render -`")

// Run reads a ResourceList from in and writes the result to out. On an error,
// which is a rules.Refusal where the input is to blame, nothing has been written
// to out. Warnings and the names of suspended gateways go to log as well as to
// the results of the list.
func Run(in io.Reader, out, log io.Writer, files func() (source.Files, error)) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	list, err := readList(data)
	if err != nil {
		return err
	}
	docs, findings := list.items, list.findings
	if len(list.config.inputs) > 0 {
		read, f := list.readInputs(files)
		docs, findings = append(docs, read...), append(findings, f...)
	} else if list.generator {
		findings = append(findings, rules.Finding{Rule: rules.GeneratorInputs, Object: list.self, Path: "spec.inputs"})
	}
	if len(findings) > 0 {
		return rules.Refusal(rules.Sort(findings))
	}
	rendered, err := renderer.Render(docs)
	if err != nil {
		return err
	}
	text, err := list.write(rendered)
	if err != nil {
		return err
	}
	Log(log, rendered)
	_, err = out.Write(text)
	return err
}

// Log writes warnings and suspended gateways, a line each (RN-13).
func Log(w io.Writer, out renderer.Output) {
	for _, f := range out.Warnings {
		fmt.Fprintf(w, "tsunaro-fn: warning: %s\n", f)
	}
	for _, o := range out.Suspended() {
		fmt.Fprintf(w, "tsunaro-fn: %s: %s\n", o, suspendedText)
	}
}

const suspendedText = "is suspended, so nothing is rendered for it (spec.suspend: false activates it)"

func (l list) readInputs(open func() (source.Files, error)) ([]document.Document, []rules.Finding) {
	files, err := open()
	if err != nil {
		return nil, []rules.Finding{{Rule: rules.InputFile, Object: l.self, Path: "spec.inputs"}}
	}
	var (
		docs     []document.Document
		findings []rules.Finding
	)
	for i, name := range l.config.inputs {
		d, f := source.Read(files, name)
		for j := range f {
			if f[j].Rule == rules.InputFile {
				f[j].Object, f[j].Path = l.self, "spec.inputs["+strconv.Itoa(i)+"]"
			}
		}
		docs, findings = append(docs, d...), append(findings, f...)
	}
	return docs, findings
}

// keep reports whether an item of a given role passes through to the output.
func (c config) keep(r admit.Role) bool {
	switch r {
	case admit.Registry, admit.Rendering:
		return false
	case admit.Source:
		return !c.resourcesOnly
	}
	return true
}
