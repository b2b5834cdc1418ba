// Command kubectl-tsunaro looks at gateways and changes nothing: `kubectl tsunaro
// check` judges builds before they are merged.
package main

import (
	"os"

	"tsunaro.io/gateway/health/command"
	"tsunaro.io/gateway/internal/commandline"
)

func main() { os.Exit(command.Run(os.Args[1:], commandline.Standard())) }
