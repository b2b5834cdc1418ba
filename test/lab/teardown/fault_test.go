//go:build lab && linux

package teardown

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"

	"tsunaro.io/gateway/test/testbed/headscaledouble"
)

// request is what the minter asks of Headscale when it tears down.
type request string

// The requests.
const (
	listNodes  request = "list the nodes"
	getNode    request = "get a node"
	deleteNode request = "delete a node"
	listKeys   request = "list the keys"
	expireKey  request = "expire a key"
)

func requestOf(r *http.Request) request {
	const nodes, keys = "/api/v1/node", "/api/v1/preauthkey"
	switch path := r.URL.Path; {
	case r.Method == http.MethodGet && path == nodes:
		return listNodes
	case r.Method == http.MethodGet && strings.HasPrefix(path, nodes+"/"):
		return getNode
	case r.Method == http.MethodDelete && strings.HasPrefix(path, nodes+"/"):
		return deleteNode
	case r.Method == http.MethodGet && path == keys:
		return listKeys
	case r.Method == http.MethodPost && path == keys+"/expire":
		return expireKey
	}
	return ""
}

// fault is somebody who answers one sort of request in Headscale's place.
type fault struct {
	to     request
	answer http.HandlerFunc // nil: nobody answers
	also   request          // that nobody answers meanwhile
	met    atomic.Int32
}

// faulty is the way to Headscale, and whoever stands in it.
type faulty struct {
	place *place
	next  http.RoundTripper
}

// RoundTrip lets the place's fault answer, or else Headscale.
func (f faulty) RoundTrip(r *http.Request) (*http.Response, error) {
	fault, asked := f.place.fault.Load(), requestOf(r)
	switch {
	case fault == nil || asked == "" || asked != fault.to && asked != fault.also:
		return f.next.RoundTrip(r)
	case asked == fault.to:
		fault.met.Add(1)
	}
	if asked == fault.also || fault.answer == nil {
		return nil, errors.New("nobody answers")
	}
	answer := httptest.NewRecorder()
	fault.answer(answer, r)
	return answer.Result(), nil
}

// answers are what may come instead of what was asked for: nothing, Headscale's own
// refusals, and those of whoever stands before it. The numbers are those of case B25.
var answers = []struct {
	why    string
	answer http.HandlerFunc
}{
	{"down", nil},
	{"500", headscaledouble.Status(http.StatusInternalServerError, "application/json", `{"code":2,"message":"some fault","details":[]}`)},
	{"401", headscaledouble.Status(http.StatusUnauthorized, "text/plain", "Unauthorized")},
	{"1: a proxy's 404", headscaledouble.NoRoute},
	{"4: a login page", headscaledouble.LoginPage},
	{"5: to a login page", headscaledouble.Redirect("https://sso.example/login")},
	{"6: 405", headscaledouble.Status(http.StatusMethodNotAllowed, "text/plain", "Method Not Allowed")},
	{"7: 502", headscaledouble.BadGateway},
	{"8: not found in 500", headscaledouble.Status(http.StatusInternalServerError, "application/json", `{"code":2,"message":"record not found","details":[]}`)},
}
