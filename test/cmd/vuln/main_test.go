package main

import (
	"strings"
	"testing"
)

func TestVerdict(t *testing.T) {
	const unreachable = "govulncheck: fetching vulnerabilities: Get \"https://db.invalid/index/modules.json.gz\": dial tcp: no such host\n"
	for _, c := range []struct {
		reason    string
		code      int
		stderr    string
		note, err string
	}{
		{"nothing found", 0, "", "no known vulnerability", ""},
		{"a finding fails", findings, "", "", "update the modules"},
		{"no network is said, not failed", 1, unreachable, "NOT CHECKED", ""},
		{"a finding stays one, whatever else was printed", findings, unreachable, "", "update the modules"},
		{"code that does not compile fails", 1, "govulncheck: loading packages: ...\n", "", "exit code 1"},
	} {
		note, err := verdict(c.code, c.stderr)
		if !strings.Contains(note, c.note) || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %q, %v", c.reason, note, err)
		}
	}
}
