package command

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/internal/terminal"
	"tsunaro.io/gateway/policies"
)

// report is what a check came to.
type report struct {
	Objects  int                `json:"objects"` // looked at
	Rules    int                `json:"rules"`   // run
	Findings []policies.Finding `json:"findings"`

	selected []policies.Rule
}

func newReport(in policies.Input, selected []policies.Rule, findings []policies.Finding) report {
	if findings == nil {
		findings = []policies.Finding{}
	}
	return report{Objects: len(in.New), Rules: len(selected), Findings: findings, selected: selected}
}

func (r report) write(out io.Writer, paint terminal.Paint, output string) error {
	switch output {
	case "json":
		return commandline.PrintJSON(out, r)
	case "junit":
		return r.junit(out)
	}
	r.text(out, paint)
	return nil
}

// text is one line a finding and what to do about it; a remedy is said once for
// the findings of a rule that follow each other.
func (r report) text(out io.Writer, paint terminal.Paint) {
	for i, f := range r.Findings {
		fmt.Fprintf(out, "%s  %s: %s [%s]\n", paint.Red("FAIL"), place(f), f.Text, f.ID)
		if i+1 == len(r.Findings) || r.Findings[i+1].ID != f.ID {
			fmt.Fprintf(out, "      %s: %s\n", paint.Bold("what to do"), f.Remedy)
		}
	}
	if n := len(r.Findings); n > 0 {
		fmt.Fprintf(out, "%s of %s in %s (%s explains)\n", count(n, "finding"), count(r.Rules, "rule"), count(r.Objects, "object"), display+" rules RULE")
		return
	}
	fmt.Fprintf(out, "%s    %s passed on %s\n", paint.Green("ok"), count(r.Rules, "rule"), count(r.Objects, "object"))
}

func place(f policies.Finding) string {
	if f.Path == "" {
		return f.Object
	}
	return f.Object + ": " + f.Path
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// junit is one test case a rule, in the form that pipelines read.
func (r report) junit(w io.Writer) error {
	type failure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
	type testcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *failure `xml:"failure"`
	}
	type testsuite struct {
		XMLName  xml.Name   `xml:"testsuite"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	lines := map[string][]string{}
	for _, f := range r.Findings {
		lines[f.ID] = append(lines[f.ID], place(f)+": "+f.Text)
	}
	suite := testsuite{Name: name + " check", Tests: len(r.selected), Failures: len(lines)}
	for _, rule := range r.selected {
		c := testcase{Class: string(rule.Package()), Name: rule.ID + ": " + rule.Title}
		if broken := lines[rule.ID]; broken != nil {
			c.Failure = &failure{count(len(broken), "finding") + "; " + rule.Remedy, strings.Join(broken, "\n")}
		}
		suite.Cases = append(suite.Cases, c)
	}
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
