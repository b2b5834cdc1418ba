package image

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/test/testbed/page"
)

// docs/kustomize.md says what is in the image of tsunaro-fn, file by file.
//
// REQ: RN-10
func TestFunctionImagePage(t *testing.T) {
	spec := Program("/any/tsunaro-fn")
	if !slices.Equal(spec.Entrypoint, []string{"/tsunaro-fn"}) || spec.Cmd != nil || spec.Env != nil || spec.WorkingDir != "" {
		t.Errorf("%v, %v, %v in %q", spec.Entrypoint, spec.Cmd, spec.Env, spec.WorkingDir)
	}
	binary := slices.IndexFunc(spec.Files, func(f File) bool { return f.Path == "/tsunaro-fn" })
	spec.Files[binary].Source = source(t, "the program, which is the entry point", time.Now())
	var layer bytes.Buffer
	if err := writeLayer(&layer, spec.Files); err != nil {
		t.Fatal(err)
	}
	table := page.Row("Path", "Mode", "What it holds") + "|---|---|---|\n"
	for _, entry := range entries(t, &layer) {
		path, rest, _ := strings.Cut(entry, " ")
		mode, content, _ := strings.Cut(rest, " ")
		table += page.Row("`/"+path+"`", mode, cmp.Or(holds(content), "a directory"))
	}
	user, _, _ := strings.Cut(spec.User, ":")
	page.Page("../../../docs/kustomize.md").Written(t, "image",
		table+fmt.Sprintf("\nIt runs as %s, unless it is told otherwise.\n", numbered(string(accounts[0].Content), user)))
}

// holds is a file's content for the page: of accounts, their names and numbers.
func holds(content string) string {
	var names []string
	for account := range strings.Lines(content) {
		if name, _, ok := strings.Cut(account, ":"); ok {
			names = append(names, numbered(content, name))
		}
	}
	if names == nil {
		return content
	}
	return strings.Join(names, ", ")
}

// numbered is a name of accounts with its number.
func numbered(accounts, name string) string {
	for account := range strings.Lines(accounts) {
		if fields := strings.Split(strings.TrimSpace(account), ":"); fields[0] == name {
			return name + " (" + fields[2] + ")"
		}
	}
	return name
}
