package main

import (
	"strings"

	"tsunaro.io/gateway/renderer/api"
)

func conditionsPage() ([]byte, error) {
	p := newPage("Conditions")
	p.line(`
Everything that the conditions of a TailnetGateway and of a Tailnet may say. A
condition that is not listed here is not ours, and is kept.

The messages are fixed. What stands in braces is filled in with public values
only: no credential, no raw error, no clock and no counter, so that a message
changes only when what it says does. The errors behind it are in the minter's
log, by their class.

The column Health is what the row means to Argo CD, Flux and
` + "`kubectl tsunaro`" + `; the worst row counts, and an empty cell leaves the
verdict to the others. While Ready waits (Reconciling) nothing is worse than
Progressing: what is not there yet cannot be wrong. The column kstatus names the condition that accompanies
the row: Reconciling while something is awaited, Stalled for what will not heal
by itself.`)
	for _, kind := range []string{api.KindTailnetGateway, api.KindTailnet} {
		for _, t := range api.ConditionTypes {
			conditionTable(p, kind, t.Type, t.Question)
		}
	}
	p.heading("What stands in braces")
	p.header("Name", "Value")
	for _, name := range sortedKeys(api.Parameters) {
		p.row(code("{"+name+"}"), api.Parameters[name])
	}
	return p.Bytes(), nil
}

func conditionTable(p *page, kind, conditionType, question string) {
	var rows []api.Condition
	for _, c := range api.Conditions {
		if c.Kind == kind && c.Type == conditionType {
			rows = append(rows, c)
		}
	}
	if len(rows) == 0 {
		return
	}
	p.heading(kind + ": " + conditionType)
	p.line("%s\n", question)
	p.header("Reason", "Status", "Message", "Health", "kstatus", "What to do")
	for _, c := range rows {
		message := c.Text
		if c.Also != "" {
			message += " *Where it applies:* " + strings.ReplaceAll(c.Also, "\n", " ")
		}
		p.row(code(c.Reason), string(c.Status), strings.TrimSpace(message), string(c.Health), string(c.Effect), c.Next)
	}
}
