package tap

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"testing"
)

// Server is what a process talks to through a Tap.
type Server struct {
	Name      string
	URL       string            // https://host[:port]
	Transport http.RoundTripper // speaks to the server, with an identity where it wants one

	// Quiet reports whether a write is none that counts: it passes like a read. Nil
	// means that all count.
	Quiet func(method, path string) bool
}

// Serve serves the process at a port of 127.0.0.1, until the test ends, and returns its
// URL.
func (t *Tap) Serve(tb testing.TB, s Server) (address string) {
	tb.Helper()
	to, err := url.Parse(s.URL)
	if err != nil {
		tb.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	f := &front{tap: t, server: s, to: to, rest: &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		Transport:     s.Transport,
		FlushInterval: -1, // watches
		ErrorHandler:  func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) },
		ErrorLog:      log.New(io.Discard, "", 0), // of connections that the process has dropped
	}}
	server := &http.Server{
		Handler:  f,
		ErrorLog: f.rest.ErrorLog,
		ConnContext: func(ctx context.Context, _ net.Conn) context.Context {
			return context.WithValue(ctx, lifeKey{}, t.now())
		},
	}
	go func() { _ = server.Serve(listener) }() // until it is closed
	tb.Cleanup(func() {
		if err := server.Close(); err != nil {
			tb.Error(err)
		}
	})
	return "http://" + listener.Addr().String()
}

type lifeKey struct{}

func (t *Tap) now() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.life
}

// front is a server as the process sees it.
type front struct {
	tap    *Tap
	server Server
	to     *url.URL
	rest   *httputil.ReverseProxy
}

// ServeHTTP passes a request on. One that gets no answer ends its connection.
func (f *front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	life, _ := r.Context().Value(lifeKey{}).(int)
	quiet := f.server.Quiet != nil && f.server.Quiet(r.Method, r.URL.Path)
	switch {
	case !f.tap.alive(life):
		panic(http.ErrAbortHandler)
	case reads(r):
		f.tap.read(r.URL.Path)
		f.rest.ServeHTTP(w, r)
	case quiet:
		f.rest.ServeHTTP(w, r)
	default:
		f.write(w, r, life)
	}
}

func (f *front) write(w http.ResponseWriter, r *http.Request, life int) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if !f.tap.options.Together {
		f.tap.turn.Lock()
		defer f.tap.turn.Unlock()
	}
	kept, ok := f.tap.arrived(Write{
		Server: f.server.Name, Method: r.Method, Path: r.URL.Path, ContentType: r.Header.Get("Content-Type"), Body: body,
	}, life)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	cut := Pass
	if f.tap.options.Judge != nil {
		cut = f.tap.options.Judge(*kept)
	}
	if cut == Before {
		f.tap.kill()
		panic(http.ErrAbortHandler)
	}
	response, answer, err := f.send(r, body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	f.tap.answered(kept, response.StatusCode, answer)
	if cut == After {
		f.tap.kill()
		panic(http.ErrAbortHandler)
	}
	for name, values := range response.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(response.StatusCode)
	_, _ = w.Write(answer) // the process may be gone
}

// send lets the server do a write, whatever becomes of the process meanwhile, and
// returns its whole answer.
func (f *front) send(r *http.Request, body []byte) (*http.Response, []byte, error) {
	out := r.Clone(context.WithoutCancel(r.Context()))
	out.URL.Scheme, out.URL.Host, out.Host, out.RequestURI = f.to.Scheme, f.to.Host, "", ""
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	out.Close = false
	out.Header.Del("Connection")
	response, err := f.server.Transport.RoundTrip(out)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	return response, answer, err
}
