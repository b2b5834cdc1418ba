package headscale

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// query is one request.
type query struct {
	op        Op
	method    string
	path      string // after the base URL
	body      any    // marshalled as JSON; nil is none
	mint      bool   // it makes a secret that only its answer holds
	anonymous bool   // it needs no key, and gets none
	media     string // of a success, where that is not JSON's
}

// ask sends the query and parses the body of a success. Reads are tried again
// while the cause may pass by itself: no connection, no answer in time, a proxy
// that waits for its server.
func ask[T any](ctx context.Context, c *Client, q query, parse func([]byte) (T, bool)) (T, error) {
	if q.method != http.MethodGet {
		value, _, err := attempt(ctx, c, q, parse)
		return value, err
	}
	pauses := backoff.NewExponentialBackOff()
	pauses.InitialInterval, pauses.Multiplier = c.pause, 2
	var last error
	value, err := backoff.Retry(ctx, func() (T, error) {
		value, passing, err := attempt(ctx, c, q, parse)
		last = err
		if err != nil && !passing {
			err = backoff.Permanent(err)
		}
		return value, err
	}, backoff.WithBackOff(pauses), backoff.WithMaxTries(c.tries))
	if err != nil {
		err = last // not the library's word for an ended context
	}
	return value, err
}

// attempt sends the query once. Passing says that another try may succeed.
func attempt[T any](ctx context.Context, c *Client, q query, parse func([]byte) (T, bool)) (value T, passing bool, err error) {
	start := time.Now()
	a := c.exchange(ctx, q)
	if a.class == OK {
		var ok bool
		if value, ok = parse(a.body); !ok {
			a.class, a.uncertain = NotHeadscale, true
		}
	}
	if a.class != OK {
		var none T
		value, err = none, a.err(q)
	}
	c.observe(q.op, ClassOf(err), time.Since(start))
	return value, a.passing && ctx.Err() == nil, err
}

// answer is what came of one exchange.
type answer struct {
	class     Class
	body      []byte
	uncertain bool // the request may have taken effect although there is no success
	passing   bool // the cause may pass by itself
}

func (a answer) err(q query) *Error {
	if q.mint && a.uncertain {
		return &Error{Op: q.op, Class: Lost, Cause: a.class}
	}
	return &Error{Op: q.op, Class: a.class}
}

// exchange sends the query and reads the answer, up to the bound.
func (c *Client) exchange(ctx context.Context, q query) answer {
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	var w way
	request, err := c.request(httptrace.WithClientTrace(ctx, w.trace()), q)
	if err != nil {
		return answer{class: Unreachable} // not with a URL that New took
	}
	t := c.reads
	if q.method != http.MethodGet {
		t = c.writes
	}
	response, err := t.RoundTrip(request)
	if err != nil {
		return w.failed(ctx, err)
	}
	defer response.Body.Close()
	body, class := read(ctx, response.Body)
	if class != OK {
		return answer{class: class, uncertain: true, passing: class != TooLarge}
	}
	return judge(response.StatusCode, response.Header.Get("Content-Type"), body, cmp.Or(q.media, jsonType))
}

func (c *Client) request(ctx context.Context, q query) (*http.Request, error) {
	var body []byte
	if q.body != nil {
		var err error
		if body, err = json.Marshal(q.body); err != nil {
			return nil, err
		}
	}
	r, err := http.NewRequestWithContext(ctx, q.method, c.base+q.path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "application/json, application/problem+json")
	r.Header.Set("User-Agent", "tsunaro-minter")
	if q.body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if !q.anonymous {
		r.Header.Set("Authorization", "Bearer "+string(c.key.Open()))
	}
	return r, nil
}

// way is how far a request came. The transport may still tell of it when the
// exchange is over.
type way struct{ noTLS, sent atomic.Bool }

func (w *way) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		TLSHandshakeDone: func(_ tls.ConnectionState, err error) { w.noTLS.Store(err != nil) },
		GotConn:          func(httptrace.GotConnInfo) { w.sent.Store(true) },
	}
}

// failed classifies the error of a round trip. Without a connection nothing was
// sent; with one, anything may have been.
func (w *way) failed(ctx context.Context, err error) answer {
	sent := w.sent.Load()
	switch {
	case late(ctx, err):
		return answer{class: Timeout, uncertain: sent, passing: true}
	case !sent && w.noTLS.Load():
		return answer{class: TLS}
	}
	return answer{class: Unreachable, uncertain: sent, passing: true}
}

// late reports whether time ran out, or the caller's patience.
func late(ctx context.Context, err error) bool {
	var n net.Error
	return ctx.Err() != nil || errors.As(err, &n) && n.Timeout()
}
