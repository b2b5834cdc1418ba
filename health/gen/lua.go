package main

import (
	"bytes"
	_ "embed"
	"text/template"

	"tsunaro.io/gateway/health"
	"tsunaro.io/gateway/renderer/api"
)

//go:embed health.lua.tmpl
var luaText string

var luaTemplate = template.Must(template.New("health.lua").Parse(luaText))

// conditionType is a type of conditions with the rows that the table has of it.
type conditionType struct {
	Name string
	Rows []api.Condition
}

// types are the conditions that count of a kind: Ready, and those beside it.
func types(kind string) []conditionType {
	var list []conditionType
	for _, name := range append([]string{api.ConditionReady}, health.Beside(kind)...) {
		t := conditionType{Name: name}
		for _, c := range api.Conditions {
			if c.Kind == kind && c.Type == name {
				t.Rows = append(t.Rows, c)
			}
		}
		list = append(list, t)
	}
	return list
}

// healthLua is Argo CD's health script for a kind.
func healthLua(kind string) ([]byte, error) {
	suspended, suspends := api.FindCondition(kind, api.ConditionReady, api.ReasonSuspended)
	var b bytes.Buffer
	err := luaTemplate.Execute(&b, map[string]any{
		"Kind": kind, "Types": types(kind), "Beside": health.Beside(kind),
		"Suspends": suspends, "Suspended": suspended.Text,
		"NotSeen": health.MessageNotSeen, "NotSaid": health.MessageNotSaid,
		"Deleting": health.MessageDeleting, "Unknown": health.MessageUnknown,
	})
	return b.Bytes(), err
}
