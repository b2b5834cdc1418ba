// Command tsunaro-lab runs the lab: see docs/lab.md. `make lab`, `make lab-down`
// and `make lab-status` call it.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/test/testbed/lab/inside"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := &cobra.Command{
		Use:           "tsunaro-lab",
		Short:         "A whole stack on one machine: Kubernetes, Headscale, a LAN and a laptop",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	name := root.PersistentFlags().String("name", "lab", "name of the lab: several run side by side")
	root.AddCommand(newUp(name), newBuild(), newDown(name), newStatus(name), newRun(name), newInside(), newLANHost(), newGit())
	if err := root.ExecuteContext(ctx); err != nil {
		var code exitCode
		if errors.As(err, &code) {
			os.Exit(int(code))
		}
		fmt.Fprintln(os.Stderr, "tsunaro-lab:", err)
		os.Exit(1)
	}
}

// exitCode is that of a command that was run inside.
type exitCode int

func (c exitCode) Error() string { return fmt.Sprintf("exit code %d", int(c)) }

func newInside() *cobra.Command {
	return &cobra.Command{
		Use: "inside SPEC", Short: "the lab itself", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			ours, err := sandbox.Enter()
			if err != nil || !ours {
				return err
			}
			return inside.Run(args[0])
		},
	}
}

func newGit() *cobra.Command {
	return &cobra.Command{
		Use: "git", Short: "the Git server", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return inside.ServeGit() },
	}
}

func newLANHost() *cobra.Command {
	return &cobra.Command{
		Use: "lan-host", Short: "the host in the LAN", Hidden: true, Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error { return inside.ServeLAN() },
	}
}
