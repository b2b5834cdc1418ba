package command

import (
	"fmt"
	"io"
	"net/netip"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/kustomize-plugin/function"
	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/zone"
)

func newExplain(s commandline.Streams) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use:   "explain INPUT...",
		Short: "Tell what each gateway will be: node, routes, addresses, DNS names",
		Long:  "Tell what each gateway will be: node, routes, addresses, DNS names and who wins.\n\n" + inputHelp,
		Example: `  tsunaro-fn explain ./home-lab
  tsunaro-fn explain ./home-lab -o json | jq '.[].routes'`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			out, err := renderArgs(s, args)
			if err != nil {
				return err
			}
			summaries := make([]summary, len(out.Gateways))
			for i, g := range out.Gateways {
				summaries[i] = summarize(g)
			}
			switch output {
			case "text":
				for i, sum := range summaries {
					if i > 0 {
						fmt.Fprintln(s.Out)
					}
					sum.print(s.Out)
				}
			case "json":
				if err := commandline.PrintJSON(s.Out, summaries); err != nil {
					return err
				}
			}
			function.Log(s.Err, out)
			return nil
		},
	}
	commandline.Output(cmd, &output, "text", "json")
	return cmd
}

type summary struct {
	Name       string    `json:"name"`
	Suspended  bool      `json:"suspended"`
	Deletion   string    `json:"deletionPolicy"`
	Format     int       `json:"renderFormat"`
	Tailnet    string    `json:"tailnet"`
	ControlURL string    `json:"controlURL"`
	Namespace  string    `json:"namespace"`
	Hostname   string    `json:"hostname"`
	Tags       []string  `json:"tags"`
	Routes     []route   `json:"routes"`
	Addresses  []address `json:"addresses"`
	Images     []image   `json:"images"`
	Binding    binding   `json:"binding"`
	DNS        dns       `json:"dns"`
	Objects    []string  `json:"objects"`
}

type route struct {
	Prefix string `json:"prefix"`
	From   string `json:"from"`
}

type address struct {
	Address string `json:"address"`
	Service string `json:"service"`
}

type image struct {
	Container string `json:"container"`
	Image     string `json:"image"`
}

type binding struct {
	Bound      bool   `json:"bound"`
	GatewayUID string `json:"gatewayUID,omitempty"`
	StateUID   string `json:"stateUID,omitempty"`
}

type dns struct {
	Zone       string      `json:"zone"`
	Serial     int         `json:"serial"`
	HostsKnown bool        `json:"hostsInInput"`
	Names      []name      `json:"names"`
	ExtraZones []extraZone `json:"extraZones,omitempty"`
}

type name struct {
	Name      string   `json:"name"`
	Addresses []string `json:"addresses"`
	From      string   `json:"from"`
}

type extraZone struct {
	Zone      string   `json:"zone"`
	Upstreams []string `json:"upstreams"`
	Names     []name   `json:"names,omitempty"`
}

func summarize(g renderer.Gateway) summary {
	gw := g.Gateway
	s := summary{
		Name: gw.Name, Suspended: gw.Suspended, Deletion: "Retain", Format: gw.Format,
		Tailnet: g.Tailnet.Name, ControlURL: g.Tailnet.ControlURL, Namespace: g.Tailnet.OperatorNamespace,
		Hostname: gw.Hostname, Tags: gw.Tags,
		Addresses: []address{
			{gw.LoadBalancer.String(), api.LBServiceName(gw.Name) + " (LoadBalancer)"},
			{gw.DNS.ClusterIP.String(), gw.DNS.ServiceName + " (ClusterIP)"},
		},
		Images:  []image{{"tailscale", string(gw.Images.Tailscale)}, {"coredns", string(gw.Images.CoreDNS)}},
		Binding: binding{g.Binding != (model.Binding{}), g.Binding.GatewayUID, g.Binding.StateUID},
		DNS:     dns{Zone: string(gw.DNS.Zone), Serial: zone.FirstSerial, HostsKnown: g.Hosts.Object.Name != "", Names: names(g.Zone.Primary)},
		Objects: []string{},
	}
	if gw.Delete {
		s.Deletion = "Delete"
	}
	for _, r := range g.Routes {
		s.Routes = append(s.Routes, route{r.Prefix.String(), r.From})
	}
	for _, e := range gw.DNS.ExtraZones {
		x := extraZone{Zone: string(e.Zone), Upstreams: texts(e.Upstreams)}
		for _, set := range g.Zone.Extra {
			if set.Name.In(e.Zone) {
				x.Names = append(x.Names, names([]zone.Set{set})...)
			}
		}
		s.DNS.ExtraZones = append(s.DNS.ExtraZones, x)
	}
	for _, o := range g.Objects {
		s.Objects = append(s.Objects, o.Object.String())
	}
	return s
}

func names(sets []zone.Set) []name {
	out := make([]name, len(sets))
	for i, set := range sets {
		from := set.Origin.String()
		if set.Shadowed {
			from += " (wins over static)"
		}
		out[i] = name{string(set.Name), texts(set.Addresses), from}
	}
	return out
}

func texts(addrs []netip.Addr) []string {
	out := make([]string, len(addrs))
	for i, a := range addrs {
		out[i] = a.String()
	}
	return out
}

func (s summary) print(out io.Writer) {
	state := "active: nine resources in namespace " + s.Namespace
	if s.Suspended {
		state = "suspended: nothing is rendered (spec.suspend: false activates it)"
	}
	deletion := "retained when the TailnetGateway is deleted"
	if s.Deletion == "Delete" {
		deletion = "torn down when the TailnetGateway is deleted"
	}
	bound := "unbound: a binder fills in both UIDs once the minter has opened the gateway"
	if s.Binding.Bound {
		bound = "gateway " + s.Binding.GatewayUID + ", state " + s.Binding.StateUID
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(title string, columns ...string) { fmt.Fprintln(w, "  "+title+"\t"+strings.Join(columns, "\t")) }
	fmt.Fprintf(w, "%s/%s\n", api.KindTailnetGateway, s.Name)
	row("state", state)
	row("", deletion)
	row("node", s.Hostname+" at "+s.ControlURL+" (Tailnet "+s.Tailnet+"), tags "+strings.Join(s.Tags, ", "))
	row("binding", bound)
	for i, im := range s.Images {
		row(first(i, "images"), im.Image)
	}
	w.Flush()
	for i, r := range s.Routes {
		row(first(i, "routes "), r.Prefix, r.From)
	}
	w.Flush()
	for i, a := range s.Addresses {
		row(first(i, "address"), a.Address, a.Service)
	}
	w.Flush()
	row("dns    ", s.DNS.Zone, fmt.Sprintf("serial %d", s.DNS.Serial))
	if !s.DNS.HostsKnown {
		row("       ", "the hosts source is not in this input; the minter merges it in")
	}
	w.Flush()
	printNames(row, s.DNS.Names)
	for _, x := range s.DNS.ExtraZones {
		row("       ", x.Zone, "forwarded to "+strings.Join(x.Upstreams, ", "), "extra zone")
		printNames(row, x.Names)
	}
	w.Flush()
}

func printNames(row func(string, ...string), list []name) {
	for _, n := range list {
		row("       ", n.Name, strings.Join(n.Addresses, " "), n.From)
	}
}

// first prints a title beside the first row of a group only.
func first(i int, title string) string {
	if i == 0 {
		return title
	}
	return strings.Repeat(" ", len(title))
}
