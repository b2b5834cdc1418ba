//go:build lab

package access

import (
	"net/http"
	"strings"
	"sync"

	"k8s.io/client-go/rest"
)

// used are the requests that were sent, and those that were forbidden.
type used struct {
	mu        sync.Mutex
	all       map[question]bool
	forbidden map[question]bool
}

// watched is a configuration whose requests are written down.
func (u *used) watched(config *rest.Config) *rest.Config {
	u.all, u.forbidden = map[question]bool{}, map[question]bool{}
	config = rest.CopyConfig(config)
	config.Wrap(func(next http.RoundTripper) http.RoundTripper {
		return tripper(func(r *http.Request) (*http.Response, error) {
			response, err := next.RoundTrip(r)
			q, ok := questionOf(r)
			u.mu.Lock()
			defer u.mu.Unlock()
			switch {
			case !ok:
			case err == nil && response.StatusCode == http.StatusForbidden:
				u.forbidden[q] = true
			default:
				u.all[q] = true
			}
			return response, err
		})
	})
	return config
}

type tripper func(*http.Request) (*http.Response, error)

func (t tripper) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// seen is a copy of all that were allowed.
func (u *used) seen() (all, forbidden map[question]bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	all, forbidden = map[question]bool{}, map[question]bool{}
	for q := range u.all {
		all[q] = true
	}
	for q := range u.forbidden {
		forbidden[q] = true
	}
	return all, forbidden
}

// questionOf is what an authorizer is asked about a request, with the name. It is
// not ok for one about no resource, such as the discovery.
func questionOf(r *http.Request) (q question, ok bool) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case len(parts) > 2 && parts[0] == "api":
		parts = parts[2:]
	case len(parts) > 3 && parts[0] == "apis":
		q.group, parts = parts[1], parts[3:]
	default:
		return q, false
	}
	if len(parts) > 2 && parts[0] == "namespaces" {
		q.namespace, parts = parts[1], parts[2:]
	}
	q.resource = parts[0]
	if len(parts) > 1 {
		q.name = parts[1]
	}
	if len(parts) > 2 {
		q.resource += "/" + parts[2]
	}
	q.verb = verbOf(r, q.name != "")
	return q, true
}

func verbOf(r *http.Request, named bool) string {
	switch r.Method {
	case http.MethodGet:
		switch {
		case r.URL.Query().Get("watch") != "" && r.URL.Query().Get("watch") != "false":
			return "watch"
		case named:
			return "get"
		}
		return "list"
	case http.MethodDelete:
		if named {
			return "delete"
		}
		return "deletecollection"
	}
	return map[string]string{http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch"}[r.Method]
}
