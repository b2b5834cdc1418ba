package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tsunaro.io/gateway/health/ask"
	"tsunaro.io/gateway/health/view"
	"tsunaro.io/gateway/internal/commandline"
)

func newDNS(s commandline.Streams, c *connection, now func() time.Time) *cobra.Command {
	var (
		output, address string
		tcp             bool
		sample          int
		timeout         time.Duration
	)
	cmd := &cobra.Command{
		Use:   "dns NAME",
		Short: "Ask a gateway's DNS, and compare with what its sources say",
		Long: `Ask a gateway's DNS for the names of its zone, and compare the answers with what
the live custom resources and the hosts source say. Both families of each name are
asked for, a name that each wildcard makes up, and one that does not exist.

Without --address it asks the address that the LoadBalancer Service has. From a
place that reaches none of the gateway's addresses, ask through the API server:

  kubectl port-forward --namespace tsunaro-system pod/lab-gw-0 5300:53
  kubectl tsunaro dns lab-gw --address 127.0.0.1:5300 --tcp

Exit codes: 0 all answers are those of the sources, 1 they are not, 2 nobody
answers, or the sources cannot be read.`,
		Example: `  kubectl tsunaro dns lab-gw
  kubectl tsunaro dns lab-gw --address 10.96.0.53
  kubectl tsunaro dns lab-gw --sample 100 -o json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: c.completeGateways,
		RunE: func(cmd *cobra.Command, args []string) error {
			from, err := c.cluster()
			if err != nil {
				return err
			}
			g, err := from.Gateway(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			model, err := view.ModelOf(from.Read(cmd.Context(), g, now()))
			if err != nil {
				return commandline.Exit{Code: commandline.ExitError, Err: err}
			}
			server := ask.Server{Address: withPort(cmp.Or(address, model.Address())), TCP: tcp, Timeout: timeout}
			answers, err := askAll(cmd.Context(), s, server, model, sample)
			if err != nil {
				return err
			}
			if output == "json" {
				err = commandline.PrintJSON(s.Out, answers)
			} else {
				_, err = fmt.Fprint(s.Out, answers.Text(view.Look{Paint: s.Paint(cmd), Width: s.Width}))
			}
			if err == nil && !answers.Right() {
				return commandline.ErrNo
			}
			return err
		},
	}
	commandline.Output(cmd, &output, "text", "json")
	cmd.Flags().StringVar(&address, "address", "", "the DNS server to ask, with its port if that is not 53")
	cmd.Flags().BoolVar(&tcp, "tcp", false, "ask over TCP")
	cmd.Flags().IntVar(&sample, "sample", 0, "ask for this many names only, spread evenly; 0 is all")
	cmd.Flags().DurationVar(&timeout, "timeout", 2*time.Second, "how long an answer may take, three times")
	return cmd
}

// withPort adds the port of DNS to an address that has none.
func withPort(address string) string {
	if _, _, err := net.SplitHostPort(address); err == nil {
		return address
	}
	return net.JoinHostPort(strings.Trim(address, "[]"), "53")
}

// askAll asks for the serial, and then for the names.
func askAll(ctx context.Context, s commandline.Streams, server ask.Server, m view.Model, sample int) (view.Answers, error) {
	a := view.Answers{Model: m, Server: server.Address, Wrong: []view.Wrong{}}
	serial, authoritative, err := server.Serial(ctx, string(m.Apex))
	if err != nil {
		return a, unanswered(server, m, err)
	}
	a.Answered, a.Authoritative = serial, authoritative
	questions := ask.Questions(m.Apex, m.Data, sample)
	a.Questions = len(questions)
	p := progress{s: s, total: len(questions)}
	wrong, err := server.All(ctx, questions, p.done)
	p.end()
	for _, w := range wrong {
		a.Wrong = append(a.Wrong, view.Wrong(w))
	}
	return a, err
}

// unanswered is the error of a server that does not answer for the zone, with the
// gateway's other addresses.
func unanswered(server ask.Server, m view.Model, err error) error {
	text := err.Error()
	var others []string
	for _, address := range m.Others() {
		if withPort(address) != server.Address {
			others = append(others, address)
		}
	}
	if len(others) > 0 {
		text += "\nThe gateway's other addresses, for --address: " + strings.Join(others, ", ")
	}
	return errors.New(text)
}
