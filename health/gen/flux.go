package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	"tsunaro.io/gateway/health"
	"tsunaro.io/gateway/renderer/api"
)

//go:embed flux.yaml.tmpl
var fluxText string

var fluxTemplate = template.Must(template.New("flux.yaml").Parse(fluxText))

// expressions are what Flux is told about a kind. Each key is Type=Status/Reason.
type expressions struct {
	Kind  string
	Bound bool // step one asks for the binding alone

	GivenUp []string // what Ready says when it will not come by itself
	Content string   // what Ready says when it is content, as a list in CEL
	Faults  []string // what makes a content object Degraded
	Beside  string   // the types that count beside Ready, as a list in CEL
	Notes   []string // what they may say without being true
}

// expressionsOf reads them from the table.
func expressionsOf(kind string, bound bool) expressions {
	e := expressions{Kind: kind, Bound: bound, Beside: list(health.Beside(kind))}
	var content []string
	for _, t := range types(kind) {
		for _, row := range t.Rows {
			key := fmt.Sprintf("%s=%s/%s", row.Type, row.Status, row.Reason)
			switch ready := row.Type == api.ConditionReady; {
			case ready && row.Health == api.Degraded:
				e.GivenUp = append(e.GivenUp, key)
			case ready && row.Health != api.Progressing:
				content = append(content, key)
			case !ready && row.Health == api.Degraded:
				e.Faults = append(e.Faults, key)
			case !ready && row.Health == api.NoHealth && row.Status != api.True:
				e.Notes = append(e.Notes, key)
			}
		}
	}
	e.Content = list(content)
	return e
}

func list(texts []string) string { return "'" + strings.Join(texts, "', '") + "'" }

// steps are what a Kustomization of Flux is patched with, by file.
var steps = []struct {
	file, about string
	bound       bool
}{
	{"health/flux/bound.yaml", "Step one, the custom resources: done when the gateway is bound, or suspended.", true},
	{"health/flux/ready.yaml", "Step two, the nine: done when the gateway is Healthy, or suspended.", false},
}

// fluxPatch is the patch of one step.
func fluxPatch(about string, bound bool) ([]byte, error) {
	var b bytes.Buffer
	err := fluxTemplate.Execute(&b, map[string]any{
		"About": about, "APIVersion": api.APIVersion,
		"Kinds": []expressions{expressionsOf(api.KindTailnetGateway, bound), expressionsOf(api.KindTailnet, false)},
	})
	return b.Bytes(), err
}
