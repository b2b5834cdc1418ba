package section

import (
	"fmt"
	"strings"
)

func marks(name string) (begin, end string) {
	return "<!-- " + name + ": written by make bench-" + name + " -->\n", "<!-- end of " + name + " -->\n"
}

// Of returns a page's section of a name with its comments; an empty one where the
// page has none.
func Of(page, name string) string {
	if _, text, _, ok := cut(page, name); ok {
		return wrap(name, text)
	}
	return wrap(name, "")
}

// Replace returns the page with another text in its section of a name, which it must
// have.
func Replace(page, name, text string) (string, error) {
	before, _, after, ok := cut(page, name)
	if !ok {
		return "", fmt.Errorf("the page has no section %q", name)
	}
	return before + wrap(name, text) + after, nil
}

func wrap(name, text string) string {
	begin, end := marks(name)
	return begin + text + end
}

func cut(page, name string) (before, text, after string, ok bool) {
	begin, end := marks(name)
	before, rest, ok := strings.Cut(page, begin)
	if !ok {
		return "", "", "", false
	}
	text, after, ok = strings.Cut(rest, end)
	return before, text, after, ok
}
