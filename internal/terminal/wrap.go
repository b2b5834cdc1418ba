package terminal

import "strings"

// Wrap breaks text at spaces into lines of at most width bytes, longer words aside;
// every line but the first begins with indent. A width of 0 breaks nothing.
func Wrap(text string, width int, indent string) string {
	if width <= 0 {
		return strings.Join(strings.Fields(text), " ")
	}
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == 0:
		case column+1+len(word) > width:
			b.WriteString("\n" + indent)
			column = len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
