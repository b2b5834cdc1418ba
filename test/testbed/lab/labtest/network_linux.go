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
)

// answerLimit is how long one attempt to get an answer may take.
const answerLimit = 3 * time.Second

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
