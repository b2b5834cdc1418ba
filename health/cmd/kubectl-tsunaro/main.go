// Command kubectl-tsunaro looks at gateways and changes nothing: `kubectl tsunaro
// check` judges builds before they are merged.
package main

import (
	"os"

	"tsunaro.io/gateway/health/command"
)

func main() {
	os.Exit(command.Run(os.Args[1:], command.Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		Color: command.IsTerminal(os.Stdout) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
	}))
}
