package view

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Comparison is how the nine of a gateway differ from a rendering.
type Comparison struct {
	Name      string     `json:"name"`
	Absent    bool       `json:"absent,omitempty"` // the cluster has no such gateway
	Suspended bool       `json:"suspended,omitempty"`
	Note      string     `json:"note,omitempty"` // why nothing was compared
	Resources []Resource `json:"resources"`      // all nine
}

// Differ reports whether one of the nine is not as rendered.
func (c Comparison) Differ() bool {
	return c.Absent || slices.ContainsFunc(c.Resources, func(r Resource) bool {
		return r.State != AsRendered && r.State != NotCompared && r.State != Unknown
	})
}

// Unread are those that could not be read.
func (c Comparison) Unread() []Resource {
	return slices.DeleteFunc(slices.Clone(c.Resources), func(r Resource) bool { return r.State != Unknown })
}

// Undecided reports whether something was not compared that should have been.
func (c Comparison) Undecided() bool {
	return c.Note != "" && !c.Absent && !c.Suspended
}

// classTexts say what a difference means.
var classTexts = map[string]string{
	"Pinned":  "pinned: it blocks until it is as rendered",
	"Mutable": "the engine may change it",
	"Live":    "serial and hash do not belong to the data",
}

// Text is each difference by object and field: - is live, + is rendered. It is empty
// where there is none.
func (c Comparison) Text(l Look) string {
	var b strings.Builder
	if c.Note != "" {
		b.WriteString(c.Name + ": " + c.Note + "\n")
	}
	for _, r := range c.Resources {
		if r.State == AsRendered || r.State == NotCompared || r.State == Unknown {
			continue
		}
		b.WriteString(l.Paint.Bold(r.Object()) + "  " + stateTexts[r.State] + "\n")
		if r.Path != "" && !slices.ContainsFunc(r.Differences, func(d Difference) bool { return d.Path == r.Path }) {
			b.WriteString("  " + r.Path + "\n")
		}
		for _, d := range r.Differences {
			b.WriteString("  " + d.Path + "  " + l.Paint.Dim("("+classTexts[d.Class]+")") + "\n")
			if d.Live != nil {
				b.WriteString("    " + l.Paint.Red("- "+value(d.Live)) + "\n")
			}
			if d.Rendered != nil {
				b.WriteString("    " + l.Paint.Green("+ "+value(d.Rendered)) + "\n")
			}
		}
	}
	return b.String()
}

// maxValue bounds a value on a line.
const maxValue = 200

// value is a JSON value on one line; long ones are cut off, the JSON form has all.
func value(v any) string {
	text, ok := v.(string)
	switch {
	case ok && text != clean(text):
		text = strconv.Quote(text)
	case !ok:
		data, err := json.Marshal(v)
		if err != nil {
			return fmt.Sprint(v)
		}
		text = clean(string(data))
	}
	if len(text) > maxValue {
		return strings.ToValidUTF8(text[:maxValue], "") + fmt.Sprintf("… (%d bytes)", len(text))
	}
	return text
}
