package kustomize

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var findingLine = regexp.MustCompile(`(?m)^  (\S+): (?:([^ :]+): )?.* \[([a-z0-9-]+)\](?: \(.*\))?$`)

// Findings reads "rule object path" out of what the function said.
func (r Result) Findings() []string {
	var lines []string
	for _, m := range findingLine.FindAllStringSubmatch(r.Stderr, -1) {
		lines = append(lines, strings.TrimSpace(m[3]+" "+m[1]+" "+m[2]))
	}
	return lines
}

// Refused fails the test unless the function refused with exactly these findings,
// "rule object path", exit code 1 and not a byte of output.
func (r Result) Refused(t testing.TB, findings ...string) {
	t.Helper()
	if r.Code != 1 || r.Stdout != "" {
		t.Errorf("exit code %d and %d bytes of output, want 1 and none", r.Code, len(r.Stdout))
	}
	if !slices.Equal(sorted(r.Findings()), sorted(findings)) {
		t.Errorf("refused with\n\t%s\nwant\n\t%s\nin\n%s", lines(r.Findings()), lines(findings), r.Stderr)
	}
}

// Failures reads "verdict object path" out of what Check found wrong; dir is
// taken off the names of kustomization files.
func (r Result) Failures(t testing.TB, dir string) []string {
	t.Helper()
	var results []struct{ Verdict, Object, Path string }
	if err := json.Unmarshal([]byte(r.Stdout), &results); err != nil {
		t.Fatalf("%v in %s%s", err, r.Stdout, r.Stderr)
	}
	var failures []string
	for _, f := range results {
		if f.Verdict != "as-rendered" && f.Verdict != "suspended" {
			object := strings.TrimPrefix(f.Object, dir+string(filepath.Separator))
			failures = append(failures, strings.TrimSpace(f.Verdict+" "+object+" "+f.Path))
		}
	}
	return failures
}

// Same compares two sets of lines.
func Same(t testing.TB, got, want []string) {
	t.Helper()
	if !slices.Equal(sorted(got), sorted(want)) {
		t.Errorf("got\n\t%s\nwant\n\t%s", lines(got), lines(want))
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

func lines(list []string) string { return cmp.Or(strings.Join(sorted(list), "\n\t"), "nothing") }
