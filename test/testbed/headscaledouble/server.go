package headscaledouble

import (
	"bytes"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"time"

	"tsunaro.io/gateway/minter/node"
)

// Options choose a server.
type Options struct {
	Next bool             // answer as 0.30 will: errors as problem+json, 404 for unknown keys
	Now  func() time.Time // nil is the clock
}

// Server is a running double. All methods may be called at any time.
type Server struct {
	URL string // https://127.0.0.1:PORT

	options Options
	http    *httptest.Server
	api     http.Handler

	mu       sync.Mutex
	lastNode uint64
	nodes    map[node.ID]*node.Node
	keys     []*key
	apiKeys  []*apiKey
	faults   []*Fault
	requests []Request
}

// Request is one that reached the server, or what stood before it.
type Request struct {
	Method, Path, Body string
	Key                string // the bearer token; empty where there was none
}

// Start runs a server with no node and no key. The caller closes it.
func Start(o Options) *Server {
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{options: o, nodes: map[node.ID]*node.Node{}}
	s.api = s.routes()
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(s.serve))
	s.http.Config.ErrorLog = log.New(io.Discard, "", 0) // of clients that do not trust it
	s.http.StartTLS()
	s.URL = s.http.URL
	return s
}

// Close ends the server and every connection to it.
func (s *Server) Close() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// CA is the PEM of the only root that the server's certificate has.
func (s *Server) CA() []byte {
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.http.Certificate().Raw})
}

// HTTP is a client that trusts the server.
func (s *Server) HTTP() *http.Client { return s.http.Client() }

// Requests are all that came, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// Count is the number of requests with the method and path.
func (s *Server) Count(method, path string) (n int) {
	for _, r := range s.Requests() {
		if r.Method == method && r.Path == path {
			n++
		}
	}
	return n
}

// serve records the request and lets the first fault that fits stand before the
// API.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // the client is gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	fault := s.record(Request{r.Method, r.URL.Path, string(body), token})
	switch {
	case fault == nil:
		s.api.ServeHTTP(w, r)
	case fault.Effect:
		s.api.ServeHTTP(httptest.NewRecorder(), r)
		fault.Answer(w, r)
	default:
		fault.Answer(w, r)
	}
}

func (s *Server) routes() http.Handler {
	api, known := http.NewServeMux(), map[string]bool{}
	for pattern, h := range map[string]http.HandlerFunc{
		"GET /api/v1/health":                    func(w http.ResponseWriter, _ *http.Request) { reply(w, 200, health{true}) },
		"GET /api/v1/node":                      s.listNodes,
		"GET /api/v1/node/{id}":                 s.getNode,
		"DELETE /api/v1/node/{id}":              s.deleteNode,
		"POST /api/v1/node/{id}/approve_routes": s.approveRoutes,
		"GET /api/v1/preauthkey":                s.listKeys,
		"POST /api/v1/preauthkey":               s.createKey,
		"POST /api/v1/preauthkey/expire":        s.expireKey,
		"GET /api/v1/apikey":                    s.listAPIKeys,
		"POST /api/v1/apikey":                   s.createAPIKey,
		"POST /api/v1/apikey/expire":            s.expireAPIKey,
	} {
		api.HandleFunc(pattern, h)
		_, path, _ := strings.Cut(pattern, " ")
		if !known[path] {
			known[path] = true
			api.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) { s.fail(w, unimplemented, "Method Not Allowed") })
		}
	}
	api.HandleFunc("/api/v1/", func(w http.ResponseWriter, _ *http.Request) { s.fail(w, notFound, "Not Found") })

	all := http.NewServeMux()
	all.HandleFunc("/api/v1/", func(w http.ResponseWriter, r *http.Request) {
		if !s.authorized(r) {
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, "Unauthorized") // the client may be gone
			return
		}
		api.ServeHTTP(w, r)
	})
	all.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/health+json; charset=utf-8")
		_, _ = io.WriteString(w, `{"status":"pass"}`+"\n")
	})
	all.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, s.version()) })
	return all
}

type health struct {
	Connected bool `json:"databaseConnectivity"`
}

type version struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Dirty   bool   `json:"dirty"`
}

func (s *Server) version() version {
	if s.options.Next {
		return version{Version: "v0.30.0"}
	}
	return version{Version: "v0.29.3", Commit: "unknown"}
}
