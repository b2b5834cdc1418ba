package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

func newUp(name *string) *cobra.Command {
	var wanted parts
	cmd := &cobra.Command{
		Use: "up", Short: "Build what is missing, start the lab, and return when all of it is ready", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if running, err := lab.Find(*name); err != nil {
				return err
			} else if running != nil {
				fmt.Fprintf(cmd.ErrOrStderr(), "the lab %s is running already\n", *name)
				return show(cmd, running, "table")
			}
			want, err := wanted.parse()
			if err != nil {
				return err
			}
			start := time.Now()
			l, err := lab.Start(cmd.Context(), lab.Options{Name: *name, Parts: want, Tell: teller(cmd.ErrOrStderr())})
			if err != nil {
				return err
			}
			if err := l.Detach(); err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "the lab is ready after %.1f s\n\n", time.Since(start).Seconds())
			return show(cmd, l, "table")
		},
	}
	wanted.flags(cmd)
	return cmd
}

// parts are what flags say a lab has.
type parts struct{ only, with []string }

func (p *parts) flags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&p.only, "only", nil, "the lab's parts, with what they need: "+names(lab.Parts)+" (default all of these)")
	cmd.Flags().StringSliceVar(&p.with, "with", nil, "further parts: "+names(lab.Engines))
}

func names(list []lab.Part) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(list), "[]")), ", ")
}

func (p *parts) parse() ([]lab.Part, error) {
	want := p.only
	if len(want) == 0 {
		for _, part := range lab.Parts {
			want = append(want, string(part))
		}
	}
	return lab.ParseParts(append(want, p.with...))
}

func newBuild() *cobra.Command {
	var wanted parts
	cmd := &cobra.Command{
		Use: "build", Short: "Build and install what up would, and start nothing", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			want, err := wanted.parse()
			if err != nil {
				return err
			}
			return lab.Build(want)
		},
	}
	wanted.flags(cmd)
	return cmd
}

// teller prints the start's progress.
func teller(w io.Writer) func(lab.Event) {
	return func(e lab.Event) {
		switch {
		case e.State == "failed":
			fmt.Fprintf(w, "%6.1f s  %s failed\n", e.Seconds, e.Component)
		case e.State == "ready" && e.Component != "":
			fmt.Fprintf(w, "%6.1f s  %s\n", e.Seconds, e.Component)
		}
	}
}

func newDown(name *string) *cobra.Command {
	return &cobra.Command{
		Use: "down", Short: "End the lab, and remove whatever it or a dead one left behind", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := lab.Find(*name)
			if err != nil {
				return err
			}
			if l != nil {
				if err := l.Stop(); err != nil {
					return err
				}
				fmt.Fprintf(cmd.OutOrStdout(), "the lab %s has ended\n", *name)
			}
			swept, err := sandbox.Sweep()
			for _, s := range swept {
				fmt.Fprintf(cmd.OutOrStdout(), "removed what was left of %s\n", s)
			}
			if err == nil && l == nil && len(swept) == 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "no lab %s is running, and nothing is left of one\n", *name)
			}
			return err
		},
	}
}

func newStatus(name *string) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "status", Short: "Show the lab's components, addresses, kubeconfig and memory", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := find(*name)
			if err != nil {
				return err
			}
			return show(cmd, l, output)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "table", "table or json")
	return cmd
}

func find(name string) (*lab.Lab, error) {
	l, err := lab.Find(name)
	if err == nil && l == nil {
		err = fmt.Errorf("no lab %s is running: make lab starts one", name)
	}
	return l, err
}

// status is what a lab shows of itself.
type status struct {
	Name       string          `json:"name"`
	Kubeconfig string          `json:"kubeconfig,omitempty"`
	Headscale  string          `json:"headscale,omitempty"`
	Memory     int64           `json:"memoryBytes"`
	Logs       string          `json:"logs"`
	Components []lab.Component `json:"components"`
}

func show(cmd *cobra.Command, l *lab.Lab, output string) (err error) {
	s := status{Name: l.Name, Logs: filepath.Join(l.Spec.Dir, "logs")}
	if s.Components, err = l.Components(cmd.Context()); err != nil {
		return err
	}
	if s.Memory, err = l.Memory(); err != nil {
		return err
	}
	if l.Tailnet != nil {
		s.Headscale = "https://" + l.Spec.HeadscaleOutside + ", with the name " + lab.HeadscaleName
	}
	if l.Access != nil {
		if s.Kubeconfig, err = l.Access.Kubeconfig(apiserver.Admin); err != nil {
			return err
		}
	}
	out := cmd.OutOrStdout()
	switch output {
	case "json":
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		return e.Encode(s)
	case "table":
		return s.table(out)
	default:
		return fmt.Errorf("--output %q is neither table nor json", output)
	}
}

func (s status) table(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "COMPONENT\tSTATE\tVERSION\tMEMORY\tADDRESS")
	for _, c := range s.Components {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", c.Name, c.State, or(c.Version), mebibytes(c.Memory), or(c.Address))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\nmemory      %s, with Pods and files\nlogs        %s\n", mebibytes(s.Memory), s.Logs)
	if s.Headscale != "" {
		fmt.Fprintf(out, "headscale   %s\n", s.Headscale)
	}
	if s.Kubeconfig != "" {
		fmt.Fprintf(out, "kubeconfig  %s\n\n  export KUBECONFIG=%s\n", s.Kubeconfig, s.Kubeconfig)
	}
	return nil
}

func or(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

func mebibytes(n int64) string {
	if n == 0 {
		return "-"
	}
	return fmt.Sprintf("%d MiB", n>>20)
}

func newRun(name *string) *cobra.Command {
	var space string
	cmd := &cobra.Command{
		Use: "run -- PROGRAM [ARGUMENT...]", Short: "Run a program on the node, in the LAN or on the laptop", Args: cobra.MinimumNArgs(1),
		Example: "  tsunaro-lab run --on laptop -- tailscale status\n  tsunaro-lab run -- ctr containers ls",
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := find(*name)
			if err != nil {
				return err
			}
			places := map[string]string{"node": lab.OnNode, "lan": lab.OnLAN, "laptop": lab.OnLaptop}
			place, ok := places[space]
			if !ok {
				return fmt.Errorf("--on %q is neither node, lan nor laptop", space)
			}
			r, err := l.Run(cmd.Context(), lab.Command{Space: place, Args: args})
			if err != nil {
				return err
			}
			fmt.Fprint(cmd.OutOrStdout(), r.Stdout)
			fmt.Fprint(os.Stderr, r.Stderr)
			if r.Code != 0 {
				return exitCode(r.Code)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&space, "on", "node", "node, lan or laptop")
	return cmd
}
