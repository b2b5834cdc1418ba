package clustertest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Server shows worlds by their names: the first part of a path is the world's.
type Server struct {
	*httptest.Server

	mu       sync.Mutex
	worlds   map[string]World
	next     map[string]World // from the next reading on
	requests []Request
}

// Request is what a right is needed for.
type Request struct {
	Verb            string // get or list
	Group, Resource string
	Namespaced      bool
}

// Requests are those that were sent so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// requestOf reads a path such as apis/apps/v1/namespaces/x/deployments/y.
func requestOf(path string) Request {
	r := Request{Verb: "list"}
	parts := strings.Split(path, "/")
	if parts[0] == "apis" {
		r.Group, parts = parts[1], parts[1:]
	}
	parts = parts[2:] // the version too
	if parts[0] == "namespaces" {
		r.Namespaced, parts = true, parts[2:]
	}
	r.Resource = parts[0]
	if len(parts) > 1 {
		r.Verb = "get"
	}
	return r
}

// Serve starts a server for a test. Requests that no reader has a reason to send fail
// it.
func Serve(t testing.TB, worlds map[string]World) *Server {
	s := &Server{worlds: worlds, next: map[string]World{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			t.Errorf("%s %s: only reads are expected", r.Method, r.URL)
		}
		if strings.Contains(r.URL.Path, "/secrets") && !strings.Contains(r.Header.Get("Accept"), "as=PartialObjectMetadata") {
			t.Errorf("%s asks for a Secret's data", r.URL)
		}
		s.answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// Set changes what a world is, from the next reading on: those begin with the gateways,
// and one that has begun sees no other world.
func (s *Server) Set(name string, w World) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next[name] = w
}

// Kubeconfig has a context for each world, of the same name. The first by name is the
// current one.
func (s *Server) Kubeconfig() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for name := range s.worlds {
		names = append(names, name)
	}
	slices.Sort(names)
	var clusters, contexts strings.Builder
	for _, name := range names {
		fmt.Fprintf(&clusters, "- {name: %s, cluster: {server: %s/%s}}\n", name, s.URL, name)
		fmt.Fprintf(&contexts, "- {name: %s, context: {cluster: %s, user: somebody}}\n", name, name)
	}
	return "apiVersion: v1\nkind: Config\ncurrent-context: " + names[0] + "\nusers:\n- {name: somebody, user: {token: none}}\nclusters:\n" +
		clusters.String() + "contexts:\n" + contexts.String()
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	request := requestOf(path)
	if next, ok := s.next[name]; ok && request.Resource == "tailnetgateways" {
		s.worlds[name] = next
		delete(s.next, name)
	}
	world, ok := s.worlds[name]
	s.requests = append(s.requests, request)
	switch {
	case !ok || world.Down:
		refuse(w, http.StatusServiceUnavailable, "ServiceUnavailable")
	case slices.ContainsFunc(world.Denied, func(part string) bool { return strings.Contains("/"+path+"/", part) }):
		refuse(w, http.StatusForbidden, "Forbidden")
	case len(world.Objects) == 0:
		http.NotFound(w, r) // as for kinds that nobody has defined
	case world.Objects[path] != nil:
		write(w, http.StatusOK, world.Objects[path])
	case world.lists(path):
		write(w, http.StatusOK, world.list(path))
	default:
		refuse(w, http.StatusNotFound, "NotFound")
	}
}

func refuse(w http.ResponseWriter, code int, reason string) {
	write(w, code, map[string]any{
		"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": "it is " + reason,
	})
}

func write(w http.ResponseWriter, code int, object map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(object)
}
