package view

import "strings"

// line is a line of a tree with the lines beneath it. The text may go on in more
// lines, which stand under the first.
type line struct {
	text  []string
	below []line
}

// draw writes the lines as the branches of a tree.
func draw(b *strings.Builder, indent string, lines []line) {
	for i, l := range lines {
		branch, after := "├─ ", "│  "
		if i == len(lines)-1 {
			branch, after = "└─ ", "   "
		}
		for j, text := range l.text {
			if j > 0 {
				branch = after
				if len(l.below) > 0 {
					branch = after + "│  "
				}
			}
			b.WriteString(strings.TrimRight(indent+branch+text, " ") + "\n")
		}
		draw(b, indent+after, l.below)
	}
}
