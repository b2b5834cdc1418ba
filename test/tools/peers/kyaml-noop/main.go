// Command kyaml-noop is a KRM function that changes nothing, written on the
// framework most functions use. The benchmarks compare tsunaro-fn with it: what
// it costs is what reading and writing a ResourceList the usual way costs.
package main

import (
	"os"

	"sigs.k8s.io/kustomize/kyaml/fn/framework"
	"sigs.k8s.io/kustomize/kyaml/fn/framework/command"
)

func main() {
	noop := framework.ResourceListProcessorFunc(func(*framework.ResourceList) error { return nil })
	if err := command.Build(noop, command.StandaloneDisabled, false).Execute(); err != nil {
		os.Exit(1) // the framework has printed it
	}
}
