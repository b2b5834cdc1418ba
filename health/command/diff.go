package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/health/cluster"
	"tsunaro.io/gateway/health/view"
	"tsunaro.io/gateway/internal/commandline"
)

func newDiff(s commandline.Streams, c *connection, now func() time.Time) *cobra.Command {
	var (
		output string
		builds []string
	)
	cmd := &cobra.Command{
		Use:   "diff [NAME...]",
		Short: "Show how the nine resources differ from their render, by object and field",
		Long: `Show how the nine resources of gateways differ from their render, by object and
field: - is live, + is rendered. The render is that of the live custom resources, or
with --filename a finished build, into which the UIDs of the cluster are filled.

What the API server chooses, and what the minter owns once it exists, is not
compared: the zone, for that ` + "`" + display + " dns`" + ` is there. Without NAME all gateways
are compared, or those of the build. Like kubectl diff it exits with 0 where nothing
differs, with 1 where something does, and with more where it cannot tell.`,
		Example: `  kubectl tsunaro diff lab-gw
  kustomize build --enable-alpha-plugins --enable-exec ./home-lab | kubectl tsunaro diff -f -
  kubectl tsunaro diff lab-gw -o json`,
		ValidArgsFunction: c.completeGateways,
		RunE: func(cmd *cobra.Command, names []string) error {
			build, err := readBuild(s, builds)
			if err != nil {
				return commandline.Exit{Code: commandline.ExitError, Err: err}
			}
			from, err := c.cluster()
			if err != nil {
				return err
			}
			all, err := compareAll(cmd.Context(), from, build, names, now())
			if err != nil {
				return err
			}
			if err := writeComparisons(s.Out, all, output, view.Look{Paint: s.Paint(cmd), Width: s.Width}); err != nil {
				return err
			}
			return verdictOf(all)
		},
	}
	commandline.Output(cmd, &output, "text", "json")
	cmd.Flags().StringArrayVarP(&builds, "filename", "f", nil, "a finished build to compare with: a file, a directory, or - for standard input; may be repeated")
	return cmd
}

// compareAll compares the gateways that were named; without names those of the build,
// or all.
func compareAll(ctx context.Context, from *cluster.Cluster, b *build, names []string, now time.Time) ([]view.Comparison, error) {
	names, err := chosen(ctx, from, b, names)
	if err != nil {
		return nil, err
	}
	all := make([]view.Comparison, len(names))
	for i, name := range names {
		g, err := from.Gateway(ctx, name)
		switch {
		case b != nil && errors.As(err, new(cluster.NoGateway)):
			all[i] = view.Comparison{Name: name, Absent: true, Note: "the cluster has no such gateway", Resources: []view.Resource{}}
		case err != nil:
			return nil, err
		default:
			all[i] = compare(from.Read(ctx, g, now), b)
		}
	}
	return all, nil
}

// chosen are the names of the gateways that are compared.
func chosen(ctx context.Context, from *cluster.Cluster, b *build, names []string) ([]string, error) {
	switch {
	case b != nil && len(names) == 0:
		return b.gateways(), nil
	case b != nil:
		for _, name := range names {
			if !b.has(name) {
				return nil, fmt.Errorf("the build holds no gateway %s", name)
			}
		}
		return names, nil
	case len(names) > 0:
		return names, nil
	}
	all, err := from.Gateways(ctx)
	for _, g := range all {
		names = append(names, g.Name)
	}
	return names, err
}

func compare(r view.Reading, b *build) view.Comparison {
	c := view.Comparison{Name: r.Gateway.Name}
	if b != nil {
		c.Resources = view.Against(r, b.bound(r))
		if c.Suspended = b.suspended(r.Gateway.Name); c.Suspended {
			c.Note = "suspended in the build, which rightly holds none of its resources; nothing is compared"
			for i := range c.Resources {
				c.Resources[i].State = view.NotCompared
			}
		}
		return c
	}
	c.Resources, c.Note = view.Resources(r), view.WhyNotCompared(r)
	c.Suspended = view.Suspended(r.Gateway)
	return c
}

func writeComparisons(out io.Writer, all []view.Comparison, output string, look view.Look) error {
	if output == "json" {
		return commandline.PrintJSON(out, all)
	}
	for _, c := range all {
		if _, err := io.WriteString(out, c.Text(look)); err != nil {
			return err
		}
	}
	return nil
}

// verdictOf is the exit code: what could not be read may differ.
func verdictOf(all []view.Comparison) error {
	var unread []string
	differ := false
	for _, c := range all {
		differ = differ || c.Differ()
		for _, r := range c.Unread() {
			unread = append(unread, r.Object())
		}
		if c.Undecided() {
			unread = append(unread, "TailnetGateway/"+c.Name)
		}
	}
	if len(unread) > 0 {
		return errors.New("could not be read or compared: " + strings.Join(unread, ", "))
	}
	if differ {
		return commandline.ErrNo
	}
	return nil
}
