package commandline

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/renderer/rules"
)

// Exit codes.
const (
	ExitOK    = 0
	ExitNo    = 1 // the answer is no: input was refused, a check failed, something differs
	ExitError = 2 // there is no answer: the command line is wrong, or something could not be read
)

// Exit is an error that ends the program with a code. Without an Err everything has
// been said already.
type Exit struct {
	Code int
	Err  error
}

// ErrNo ends the program with ExitNo after everything has been said.
var ErrNo = Exit{Code: ExitNo}

// Error is the text of Err.
func (e Exit) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e Exit) Unwrap() error { return e.Err }

// Program is a command line as it introduces itself.
type Program struct {
	Name    string // in messages
	Refused string // said before the findings of a rules.Refusal
}

// Run runs a command line and returns its exit code: that of an Exit, ExitNo for a
// rules.Refusal, ExitError for every other error.
func (p Program) Run(root *cobra.Command, args []string, s Streams) int {
	root.SetArgs(args)
	root.SetIn(s.In)
	root.SetOut(s.Out)
	root.SetErr(s.Err)
	root.SilenceErrors, root.SilenceUsage = true, true
	err := root.Execute()
	if err == nil {
		return ExitOK
	}
	exit := Exit{ExitError, err}
	if refusal := (rules.Refusal)(nil); errors.As(err, &refusal) {
		exit.Code = ExitNo
	}
	errors.As(err, &exit)
	p.say(s.Err, exit.Err)
	return exit.Code
}

func (p Program) say(w io.Writer, err error) {
	var refusal rules.Refusal
	switch {
	case err == nil:
	case errors.As(err, &refusal):
		fmt.Fprintln(w, p.Name+": "+p.Refused+":")
		for _, f := range refusal {
			fmt.Fprintln(w, "  "+f.String())
		}
	default:
		fmt.Fprintln(w, p.Name+":", err)
	}
}
