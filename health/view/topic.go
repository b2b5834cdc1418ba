package view

import (
	"slices"
	"strings"

	"tsunaro.io/gateway/health"
	"tsunaro.io/gateway/internal/terminal"
	"tsunaro.io/gateway/renderer/api"
)

// Topic is what somebody asks about: a condition with all of its rows, or a reason
// with the rows that have it.
type Topic struct {
	Condition, Question string // both are empty for a reason
	Rows                []api.Condition
}

// FindTopic finds a condition, a reason, or a reason of one condition that is written
// as Condition/Reason. Upper and lower case are the same.
func FindTopic(text string) (Topic, bool) {
	condition, reason, both := strings.Cut(text, "/")
	if !both {
		reason = text
	}
	for _, t := range api.ConditionTypes {
		if !strings.EqualFold(t.Type, condition) {
			continue
		}
		topic := Topic{Condition: t.Type, Question: t.Question}
		for _, c := range api.Conditions {
			if c.Type == t.Type && (!both || strings.EqualFold(c.Reason, reason)) {
				topic.Rows = append(topic.Rows, c)
			}
		}
		return topic, len(topic.Rows) > 0
	}
	i := slices.IndexFunc(api.Conditions, func(c api.Condition) bool { return strings.EqualFold(c.Reason, reason) })
	if both || i < 0 {
		return Topic{}, false
	}
	return Topic{Rows: health.Explain(api.Conditions[i].Reason)}, true
}

// effects say what kstatus makes of a reason.
var effects = map[api.Effect]string{
	api.Reconciles: "it is awaited (Reconciling)",
	api.Stalls:     "it will not heal by itself (Stalled)",
}

// Text explains the rows.
func (t Topic) Text(l Look) string {
	var b strings.Builder
	if t.Condition != "" {
		b.WriteString(l.Paint.Bold(t.Condition) + ": " + terminal.Wrap(t.Question, l.Width-len(t.Condition)-2, "  ") + "\n\n")
	}
	for i, c := range t.Rows {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(l.Paint.Bold(c.Reason) + "  " + c.Kind + " " + c.Type + "=" + string(c.Status) + "\n")
		say := func(title, text string) {
			if text != "" {
				b.WriteString("  " + l.Paint.Dim(title) + terminal.Wrap(text, l.Width-14, "              ") + "\n")
			}
		}
		say("says        ", c.Text)
		for also := range strings.SplitSeq(c.Also, "\n") {
			say("may add     ", also)
		}
		if c.Health != api.NoHealth {
			b.WriteString("  " + l.Paint.Dim("health      ") + l.health(string(c.Health)) + "\n")
		}
		say("then        ", effects[c.Effect])
		say("what to do  ", c.Next)
	}
	return b.String()
}

// ConditionsText lists the conditions with the question that each answers.
func ConditionsText(l Look) string {
	var b strings.Builder
	for _, t := range api.ConditionTypes {
		b.WriteString(l.Paint.Bold(t.Type) + "\n  " + terminal.Wrap(t.Question, l.Width-2, "  ") + "\n")
	}
	return b.String()
}
