package page

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// Page is a page of the documentation by its path, from the test's directory.
type Page string

// Text is all of it.
func (p Page) Text(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile(string(p))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Blocks are its code blocks of a language.
func (p Page) Blocks(t testing.TB, language string) (all []string) {
	t.Helper()
	for _, m := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```$").FindAllStringSubmatch(p.Text(t), -1) {
		all = append(all, m[1])
	}
	return all
}

// Block is the one code block of a language that holds a text.
func (p Page) Block(t testing.TB, language, holds string) string {
	t.Helper()
	var found []string
	for _, b := range p.Blocks(t, language) {
		if strings.Contains(b, holds) {
			found = append(found, b)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s: %d blocks of %s with %q", p, len(found), language, holds)
	}
	return found[0]
}

// Written holds the part of a name to what it should be. UPDATE_GOLDEN=1 writes it.
func (p Page) Written(t testing.TB, name, want string) {
	t.Helper()
	begin, end := "<!-- "+name+": written by the tests -->\n", "<!-- end of "+name+" -->\n"
	head, rest, begun := strings.Cut(p.Text(t), begin)
	have, tail, ended := strings.Cut(rest, end)
	if !begun || !ended {
		t.Fatalf("%s has no place for %s", p, name)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(string(p), []byte(head+begin+want+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if have != want {
		t.Errorf("%s: %s is not as tested; UPDATE_GOLDEN=1 writes it. Want:\n%s", p, name, want)
	}
}

// Row is a line of a table.
func Row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
