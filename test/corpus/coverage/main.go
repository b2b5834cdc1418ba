// Command coverage prints how many accepted and refused cases the corpus holds
// for each rule, and fails when a rule of the table lacks either side (CF-07).
package main

import (
	"fmt"
	"os"
	"text/tabwriter"

	"tsunaro.io/gateway/renderer/rules"
	"tsunaro.io/gateway/test/corpus"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "coverage:", err)
		os.Exit(1)
	}
}

func run() error {
	cases, err := corpus.Load()
	if err != nil {
		return err
	}
	byID := map[string]corpus.Rule{}
	for _, r := range cases {
		byID[r.ID] = r
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "RULE\tACCEPT\tREFUSE\tENGINES")
	lacking, accept, refuse := 0, 0, 0
	for _, rule := range rules.Table {
		r := byID[string(rule.ID)]
		mark := ""
		if len(r.Accept) == 0 || len(r.Refuse) == 0 {
			mark = "  lacks a side"
			lacking++
		}
		accept, refuse = accept+len(r.Accept), refuse+len(r.Refuse)
		fmt.Fprintf(w, "%s\t%d\t%d\t%v%s\n", rule.ID, len(r.Accept), len(r.Refuse), r.Engines, mark)
	}
	fmt.Fprintf(w, "%d rules\t%d\t%d\t\n", len(rules.Table), accept, refuse)
	if err := w.Flush(); err != nil {
		return err
	}
	if lacking > 0 {
		return fmt.Errorf("%d of %d rules lack accepted or refused cases", lacking, len(rules.Table))
	}
	return nil
}
