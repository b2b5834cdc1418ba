package labtest

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/miekg/dns"

	"tsunaro.io/gateway/test/testbed/lab"
)

// answerLimit is how long one attempt to get an answer may take.
const answerLimit = 3 * time.Second

// Run runs a program on the node (package lab says which there are), which has to
// succeed, and returns what it wrote to stdout.
func (w *World) Run(program string, args ...string) string {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.Context(), Deadline)
	defer cancel()
	r, err := w.Lab.Run(ctx, lab.Command{Args: append([]string{program}, args...)})
	if err != nil || r.Code != 0 {
		w.Fatalf("%s %s: exit code %d, %v\n%s", program, strings.Join(args, " "), r.Code, err, r.Stderr)
	}
	return r.Stdout
}

// Ask sends one DNS question from a place in the lab (lab.OnNode, …) and returns
// the answer. Network is udp or tcp.
func (w *World) Ask(ctx context.Context, space, network, server, name string, kind uint16) (*dns.Msg, error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	c, err := w.Lab.Dial(ctx, space, network, net.JoinHostPort(server, "53"))
	if err != nil {
		return nil, err
	}
	conn := &dns.Conn{Conn: c}
	defer conn.Close()
	question := new(dns.Msg).SetQuestion(dns.Fqdn(name), kind)
	answer, _, err := new(dns.Client).ExchangeWithConnContext(ctx, question, conn)
	return answer, err
}

// Get asks a web server by its numeric address from a place in the lab, once.
func (w *World) Get(ctx context.Context, space, url string) (body string, err error) {
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			return w.Lab.Dial(ctx, space, network, address)
		},
	}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(b)))
	}
	return string(b), err
}
