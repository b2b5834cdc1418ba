package dns_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/dns"
)

// tableTypes are the types of the reviewed tables: both families, one type that
// nothing has, and the apex's own.
var tableTypes = []string{"A", "AAAA", "TXT", "NS", "SOA"}

// TestTables compares every zone's answers with its reviewed table: the oracle,
// too, may not change its mind unseen. UPDATE_GOLDEN=1 rewrites the tables.
//
// REQ: DN-01, DN-02, DN-03
func TestTables(t *testing.T) {
	total := 0
	for _, c := range cases(t) {
		t.Run(c.Name, func(t *testing.T) {
			got := table(c)
			total += strings.Count(got, "\n")
			golden := filepath.Join("testdata", c.Name+".txt")
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("%s differs; got:\n%s", golden, got)
			}
		})
	}
	if total < 200 {
		t.Errorf("%d answers in the tables, want at least 200", total)
	}
	tables, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(tables) != len(cases(t)) {
		t.Errorf("%d tables (%v) of %d zones", len(tables), err, len(cases(t)))
	}
}

// table is one line for each name and the types that share an answer.
func table(c dns.Case) string {
	o := dns.New(c.Data, 1)
	var s strings.Builder
	fmt.Fprintf(&s, "# %s\n", c.Why)
	for _, n := range c.Names() {
		if strings.ToLower(n) != n || strings.ContainsAny(n, `\`) || strings.Contains(n, "qqqq") {
			continue // spellings and fillers, left to the machine
		}
		types := map[string][]string{}
		var answers []string
		for _, qtype := range tableTypes {
			a := o.Ask(n, qtype).String()
			types[a] = append(types[a], qtype)
			if !slices.Contains(answers, a) {
				answers = append(answers, a)
			}
		}
		for _, a := range answers {
			fmt.Fprintf(&s, "%s %s: %s\n", n, strings.Join(types[a], ","), a)
		}
	}
	return s.String()
}

// TestNames makes sure that the questions around the zones are as many and as odd
// as they are meant to be.
func TestNames(t *testing.T) {
	names := zone(t, "nested").Names()
	for _, want := range []string{
		"n.example.", "example.", ".", "zz.example.", "xn.example.", "*.n.example.", "zz.*.n.example.",
		"N.ExAmPlE.", `zz\.b.a.n.example.`, `\000\255\ \@.n.example.`, "*.zz.h.n.example.", "b.a.n.example.",
	} {
		if !slices.Contains(names, want) {
			t.Errorf("nobody asks for %s", want)
		}
	}
	if !slices.ContainsFunc(names, func(n string) bool { return len(n) == 254 }) {
		t.Error("nobody asks for a name of 253 characters")
	}
	if len(names) < 200 {
		t.Errorf("%d names, want at least 200", len(names))
	}
}
