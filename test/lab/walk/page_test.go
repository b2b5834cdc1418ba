package walk

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/testbed/page"
)

const start page.Page = "../../../docs/start.md"

// Sections of the page. Every walk goes on where the first one ends.
const (
	prepare = "Prepare"
	kubectl = "With kubectl"
	flux    = "With Flux"
	argoCD  = "With Argo CD"
)

const (
	maxSteps  = 9  // a walk is under ten
	minBlocks = 12 // in every walk
)

// step is a numbered heading of the page, with its commands.
type step struct {
	title  string // 4. Make it yours
	blocks []block
}

// block is commands that a reader copies.
type block struct {
	commands string
	shown    string // what they print; "" where the page does not say
}

var (
	section = regexp.MustCompile(`(?m)^## (.*)\n`)
	heading = regexp.MustCompile(`(?m)^### (.*)\n`)
	fence   = regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```\n")
)

// walk are the steps of a walk, those that all begin with among them.
func walk(t testing.TB, name string) []step {
	t.Helper()
	return append(steps(t, prepare), steps(t, name)...)
}

// steps are those of a section.
func steps(t testing.TB, name string) (all []step) {
	t.Helper()
	text := start.Text(t)
	for _, s := range parts(section, text) {
		if s.title != name {
			continue
		}
		for _, h := range parts(heading, s.text) {
			all = append(all, step{h.title, blocks(t, h.text)})
		}
	}
	if len(all) == 0 {
		t.Fatalf("%s has no steps under %q", start, name)
	}
	return all
}

type part struct{ title, text string }

// parts are a text's parts, each from its heading to the next one.
func parts(heading *regexp.Regexp, text string) (all []part) {
	found := heading.FindAllStringSubmatchIndex(text, -1)
	for i, f := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		all = append(all, part{text[f[2]:f[3]], text[f[1]:end]})
	}
	return all
}

// blocks are the commands in a step's text. What a text block shows is of the commands
// right above it.
func blocks(t testing.TB, text string) (all []block) {
	t.Helper()
	end := 0 // of the last block of commands, until its output is found
	for _, f := range fence.FindAllStringSubmatchIndex(text, -1) {
		language, content := text[f[2]:f[3]], text[f[4]:f[5]]
		switch {
		case language == "sh":
			all = append(all, block{commands: content})
			end = f[1]
		case language == "text" && end > 0 && strings.TrimSpace(text[end:f[0]]) == "":
			all[len(all)-1].shown = content
			end = 0
		default:
			t.Fatalf("nobody runs this block, and nothing prints it:\n%s", content)
		}
	}
	return all
}

// as reports whether an output is as it is shown. … is anything in a line, and any lines
// where it is alone in one.
func as(shown, output string) bool {
	pattern := strings.ReplaceAll(regexp.QuoteMeta(shown), "…", ".*")
	pattern = regexp.MustCompile(`(?m)^\.\*\n`).ReplaceAllLiteralString(pattern, "(?:.*\n)*?")
	return regexp.MustCompile(`\A` + pattern + `\z`).MatchString(output)
}

// Every walk is on the page, is numbered in one row, is under ten steps, and has
// commands in each.
func TestPage(t *testing.T) {
	for _, name := range []string{kubectl, flux, argoCD} {
		all := walk(t, name)
		if len(all) > maxSteps {
			t.Errorf("%s: %d steps, want %d at most", name, len(all), maxSteps)
		}
		blocks := 0
		for i, s := range all {
			if !strings.HasPrefix(s.title, strconv.Itoa(i+1)+". ") {
				t.Errorf("%s: step %d is called %q", name, i+1, s.title)
			}
			if len(s.blocks) == 0 {
				t.Errorf("%s: nothing is to be done in %q", name, s.title)
			}
			blocks += len(s.blocks)
		}
		if blocks < minBlocks {
			t.Errorf("%s: %d blocks of commands, want %d at least", name, blocks, minBlocks)
		}
	}
	var titles []string
	for _, s := range parts(section, start.Text(t)) {
		titles = append(titles, s.title)
	}
	if want := []string{prepare, kubectl, flux, argoCD, "Read on"}; !slices.Equal(titles, want) {
		t.Errorf("its sections are %q, want %q", titles, want)
	}
}

func TestAs(t *testing.T) {
	for _, c := range []struct {
		shown, output string
		want          bool
	}{
		{"a\n", "a\n", true},
		{"a\n", "a\nb\n", false},
		{"a\n", "b\na\n", false},
		{"a\n…\n", "a\n", true},
		{"…\nb\n…\n", "a\nb\nc\nd\n", true},
		{"…\nb\n…\n", "a\nbb\n", false},
		{"at … we\n", "at 10.1 we\n", true},
		{"at … we\n", "at 10\n1 we\n", false},
		{"a.c (d)\n", "abc (d)\n", false},
	} {
		if got := as(c.shown, c.output); got != c.want {
			t.Errorf("%q as %q: %t", c.output, c.shown, got)
		}
	}
}
