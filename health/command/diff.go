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
	"tsunaro.io/gateway/renderer/api/v1alpha1"
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
	live, err := from.Gateways(ctx)
	if err != nil {
		return nil, err
	}
	byName := map[string]*v1alpha1.TailnetGateway{}
	var known []string
	for i := range live {
		byName[live[i].Name] = &live[i]
		known = append(known, live[i].Name)
	}
	if b != nil {
		known = b.gateways()
	}
	for _, name := range names {
		if b != nil && !b.has(name) {
			return nil, fmt.Errorf("the build holds no gateway %s", name)
		}
		if b == nil && byName[name] == nil {
			return nil, fmt.Errorf("there is no TailnetGateway/%s", name)
		}
	}
	if len(names) == 0 {
		names = known
	}
	all := make([]view.Comparison, len(names))
	for i, name := range names {
		g := byName[name]
		if g == nil {
			all[i] = view.Comparison{Name: name, Absent: true, Note: "the cluster has no such gateway", Resources: []view.Resource{}}
			continue
		}
		all[i] = compare(from.Read(ctx, g, now), b)
	}
	return all, nil
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
