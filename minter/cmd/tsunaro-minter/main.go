// Command tsunaro-minter runs in a cluster and adds to its tailnet gateways what
// only a running cluster can know: see package controller/gateway.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/pflag"
	ctrl "sigs.k8s.io/controller-runtime"

	"tsunaro.io/gateway/minter/controller"
)

func main() {
	o := controller.Options{}
	flags := pflag.NewFlagSet("tsunaro-minter", pflag.ContinueOnError)
	o.BindFlags(flags)
	if err := flags.Parse(os.Args[1:]); err != nil {
		if err == pflag.ErrHelp {
			return
		}
		fail(err)
	}
	if flags.NArg() > 0 {
		fail(fmt.Errorf("unexpected argument %q", flags.Arg(0)))
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		fail(fmt.Errorf("no access to an API server: %w", err))
	}
	if err := controller.Run(ctrl.SetupSignalHandler(), config, o); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "tsunaro-minter:", err)
	os.Exit(1)
}
