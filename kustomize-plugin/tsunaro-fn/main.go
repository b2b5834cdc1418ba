// Command tsunaro-fn renders TailnetGateways: as a KRM function of kustomize and
// kpt, and as a plain command.
package main

import (
	"os"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/kustomize-plugin/command"
)

func main() { os.Exit(command.Run(os.Args[1:], commandline.Standard())) }
