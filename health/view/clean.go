package view

import (
	"strings"
	"unicode"
)

// clean shows control characters as "?", so that nobody who writes into a status or
// an object writes lines or colours of their own onto somebody's terminal.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return '?'
		}
		return r
	}, text)
}
