package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/health/cluster"
	"tsunaro.io/gateway/health/view"
	"tsunaro.io/gateway/internal/commandline"
)

// status is what the command was asked.
type status struct {
	names    []string
	output   string
	watch    bool
	interval time.Duration
	exitCode bool

	from *cluster.Cluster
	look view.Look
	now  func() time.Time
}

func newStatus(s commandline.Streams, c *connection, now func() time.Time) *cobra.Command {
	o := status{now: now}
	cmd := &cobra.Command{
		Use:   "status [NAME...]",
		Short: "Show how gateways are, why, and what to do next",
		Long: `Show how gateways are, why, and what to do next: the verdict that Flux and Argo CD
have too, then the nine resources as they are now beside their render, the live
zone beside its sources, routes, Pod and conditions.

Without NAME all gateways are listed, by what their own objects tell. What may not
be read is said to be unknown, and the rest is shown.`,
		Example: `  kubectl tsunaro status
  kubectl tsunaro status lab-gw
  kubectl tsunaro status lab-gw --watch
  kubectl tsunaro status lab-gw -o json
  kubectl tsunaro status --exit-code`,
		ValidArgsFunction: c.completeGateways,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			o.names, o.look = args, view.Look{Paint: s.Paint(cmd), Width: s.Width}
			if o.from, err = c.cluster(); err != nil {
				return err
			}
			if o.watch {
				return o.follow(cmd.Context(), s)
			}
			gateways, err := o.read(cmd.Context())
			if err != nil {
				return err
			}
			if err := o.write(s.Out, gateways); err != nil {
				return err
			}
			if o.exitCode && !slices.ContainsFunc(gateways, notFine) {
				return nil
			}
			if o.exitCode {
				return commandline.ErrNo
			}
			return nil
		},
	}
	commandline.Output(cmd, &o.output, "text", "table", "json", "yaml")
	cmd.Flags().BoolVarP(&o.watch, "watch", "w", false, "go on, and print what changes")
	cmd.Flags().DurationVar(&o.interval, "interval", 2*time.Second, "how often --watch looks")
	cmd.Flags().BoolVar(&o.exitCode, "exit-code", false, "exit with 1 unless every gateway is Healthy, with nothing found beside it")
	cmd.MarkFlagsMutuallyExclusive("watch", "exit-code")
	return cmd
}

func notFine(g view.Gateway) bool { return !g.Fine() }

// read reads the gateways that were named, or all.
func (o *status) read(ctx context.Context) ([]view.Gateway, error) {
	o.look.Now = o.now()
	if len(o.names) == 0 {
		readings, err := o.from.Glance(ctx, o.look.Now)
		if err != nil {
			return nil, err
		}
		gateways := make([]view.Gateway, len(readings))
		for i, r := range readings {
			gateways[i] = view.Glance(r)
		}
		return gateways, nil
	}
	gateways := make([]view.Gateway, len(o.names))
	for i, name := range o.names {
		g, err := o.from.Gateway(ctx, name)
		if err != nil {
			return nil, err
		}
		gateways[i] = view.Of(o.from.Read(ctx, g, o.look.Now))
	}
	return gateways, nil
}

func (o *status) write(out io.Writer, gateways []view.Gateway) error {
	switch {
	case o.output == "json":
		return commandline.PrintJSON(out, o.document(gateways))
	case o.output == "yaml":
		text, err := yaml.Marshal(o.document(gateways))
		if err == nil {
			_, err = out.Write(text)
		}
		return err
	case len(gateways) == 0:
		_, err := fmt.Fprintln(out, "There is no TailnetGateway.")
		return err
	case o.output == "table" || len(o.names) == 0:
		_, err := io.WriteString(out, view.Table(gateways, o.look))
		return err
	}
	for i, g := range gateways {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if _, err := io.WriteString(out, g.Text(o.look)); err != nil {
			return err
		}
	}
	return nil
}

// document is what programs read: one gateway where one was named, else a list.
func (o *status) document(gateways []view.Gateway) any {
	if len(o.names) == 1 {
		return gateways[0]
	}
	return gateways
}
