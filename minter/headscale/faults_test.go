package headscale_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/test/testbed/headscaledouble"
)

// canary stands in every body of a fault: whatever shows it has shown a body.
const canary = "canary-in-the-body"

// ownError is an error of Headscale 0.29.
func ownError(status, code int) http.HandlerFunc {
	return headscaledouble.Status(status, asJSON, fmt.Sprintf(`{"code":%d,"message":"%s","details":[]}`, code, canary))
}

// Every request under every fault: what is known then, and how often it is sent.
// Of a mint, what is not certain is Lost.
//
// REQ: MT-01 LC-06 ST-03
func TestFaults(t *testing.T) {
	html := func(status int) http.HandlerFunc {
		return headscaledouble.Status(status, "text/html", "<html>"+canary)
	}
	for _, f := range []struct {
		name    string
		answer  http.HandlerFunc
		class   headscale.Class
		mint    headscale.Class // Lost, or the same class
		passing bool            // reads are tried again
	}{
		{"dropped", headscaledouble.Drop, headscale.Unreachable, headscale.Lost, true},
		{"cut", headscaledouble.Cut, headscale.Unreachable, headscale.Lost, true},
		{"oversized", headscaledouble.Oversized(16 << 20), headscale.TooLarge, headscale.Lost, false},
		{"a page", html(200), headscale.NotHeadscale, headscale.Lost, false},
		{"a redirect", headscaledouble.Redirect("https://sso.example/" + canary), headscale.NotHeadscale, headscale.Lost, false},
		{"a page for 404", html(404), headscale.NotHeadscale, headscale.Lost, false},
		{"a page for 502", html(502), headscale.NotHeadscale, headscale.Lost, true},
		{"a page for 503", html(503), headscale.NotHeadscale, headscale.Lost, true},
		{"a page for 504", html(504), headscale.NotHeadscale, headscale.Lost, true},
		{"other JSON", headscaledouble.Status(200, asJSON, `["`+canary+`"]`), headscale.NotHeadscale, headscale.Lost, false},
		{"401", headscaledouble.Status(401, "text/plain; charset=utf-8", "Unauthorized"), headscale.Unauthorized, headscale.Unauthorized, false},
		{"400", ownError(400, 3), headscale.Refused, headscale.Refused, false},
		{"404", ownError(404, 5), headscale.NotFound, headscale.NotFound, false},
		{"500", ownError(500, 2), headscale.Refused, headscale.Refused, false},
		{"499 of the front part", ownError(499, 1), headscale.Refused, headscale.Lost, false},
		{"503 of the front part", ownError(503, 14), headscale.Refused, headscale.Lost, true},
		{"504 of the front part", ownError(504, 4), headscale.Refused, headscale.Lost, true},
	} {
		t.Run(f.name, func(t *testing.T) {
			s, o := home(t, headscaledouble.Options{})
			s.Fail(headscaledouble.Fault{Answer: f.answer})
			c := connect(t, o)
			for _, call := range calls {
				before := len(s.Requests())
				err := call.call(t.Context(), c)
				want, cause := f.class, headscale.Class("")
				if call.kind == once && f.mint == headscale.Lost {
					want, cause = headscale.Lost, f.class
				}
				wantError(t, err, headscale.Error{Op: call.op, Class: want, Cause: cause})
				sent := 1
				if call.kind == read && f.passing {
					sent = 3
				}
				if n := len(s.Requests()) - before; n != sent {
					t.Errorf("%s: sent %d times, not %d", call.op, n, sent)
				}
				wantSealed(t, o, c, err)
			}
		})
	}
}

func wantError(t *testing.T, err error, want headscale.Error) {
	t.Helper()
	var got *headscale.Error
	if !errors.As(err, &got) || *got != want {
		t.Errorf("%s: %#v, not %#v", want.Op, err, want)
	}
}

// wantSealed looks for keys, addresses and bodies in all that could be logged.
func wantSealed(t *testing.T, o headscale.Options, c *headscale.Client, err error) {
	t.Helper()
	var errs, all strings.Builder
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		fmt.Fprintf(&errs, verb, err)
		fmt.Fprintf(&all, verb+verb+verb+verb, c, *c, o, []any{c})
		fmt.Fprintf(&all, verb, struct{ key sealed.Bytes }{o.Key})
	}
	key, bytes := string(o.Key.Open()), strings.Trim(fmt.Sprint(o.Key.Open()), "[]")
	for _, secret := range []string{key, key[:22], fmt.Sprintf("%x", key), bytes, canary} {
		if strings.Contains(errs.String(), secret) || strings.Contains(all.String(), secret) {
			t.Errorf("%s is shown", secret)
		}
	}
	if strings.Contains(errs.String(), strings.TrimPrefix(o.URL, "https://")) {
		t.Errorf("an address is shown: %s", errs.String())
	}
}

// A mint whose answer is lost has minted: that is what Lost is for, and nothing
// mints again.
func TestLostAfterTheEffect(t *testing.T) {
	for name, answer := range map[string]http.HandlerFunc{
		"dropped": headscaledouble.Drop, "cut": headscaledouble.Cut, "a proxy gave up": headscaledouble.BadGateway,
	} {
		s, o := serve(t, headscaledouble.Options{})
		s.Fail(headscaledouble.Fault{Effect: true, Times: 1, Answer: answer})
		_, bytes, err := connect(t, o).CreateKey(t.Context(), request)
		wantClass(t, name, err, headscale.Lost)
		if keys := s.Keys(); len(keys) != 1 || !bytes.Empty() || s.Count("POST", "/api/v1/preauthkey") != 1 {
			t.Errorf("%s: %d keys", name, len(keys))
		}
	}
}

// A mint does not use a connection that has been idle: the server may be about to
// close it, and the key would be lost for nothing.
func TestMintsHaveConnectionsOfTheirOwn(t *testing.T) {
	s, o := home(t, headscaledouble.Options{})
	c := connect(t, o)
	seen := map[string]int{}
	s.Fail(headscaledouble.Fault{Answer: func(w http.ResponseWriter, r *http.Request) {
		seen[r.RemoteAddr]++
		ownError(404, 5)(w, r)
	}})
	for range 2 {
		wantClass(t, "read", second(c.Nodes(t.Context())), headscale.NotFound)
		wantClass(t, "mint", second(c.CreateAPIKey(t.Context(), request.Expiration)), headscale.NotFound)
	}
	var counts []int
	for _, n := range seen {
		counts = append(counts, n)
	}
	if slices.Sort(counts); !slices.Equal(counts, []int{1, 1, 2}) {
		t.Errorf("requests by connection: %v", counts)
	}
}

// Silence ends when the caller gives up. By then a mint has been sent.
func TestCallerGivesUp(t *testing.T) {
	for _, call := range calls {
		s, o := home(t, headscaledouble.Options{})
		ctx, cancel := context.WithCancel(t.Context())
		s.Fail(headscaledouble.Fault{Answer: func(w http.ResponseWriter, r *http.Request) {
			cancel()
			headscaledouble.Silent(w, r)
		}})
		want := headscale.Error{Op: call.op, Class: headscale.Timeout}
		if call.kind == once {
			want.Class, want.Cause = headscale.Lost, headscale.Timeout
		}
		wantError(t, call.call(ctx, connect(t, o)), want)
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%s: sent %d times", call.op, n)
		}
	}
}

// Without a caller's deadline each try has its own.
func TestTimeout(t *testing.T) {
	s, o := home(t, headscaledouble.Options{})
	s.Fail(headscaledouble.Fault{Answer: headscaledouble.Silent})
	var tries []headscale.Class
	o.Timeout, o.Tries = 20*time.Millisecond, 2
	o.Observe = func(_ headscale.Op, c headscale.Class, _ time.Duration) { tries = append(tries, c) }
	wantClass(t, "nodes", second(connect(t, o).Nodes(t.Context())), headscale.Timeout)
	if !slices.Equal(tries, []headscale.Class{headscale.Timeout, headscale.Timeout}) {
		t.Errorf("%v", tries)
	}
}

// What never had a connection was never sent, a mint neither.
func TestUnreachable(t *testing.T) {
	s, o := home(t, headscaledouble.Options{})
	s.Close()
	c := connect(t, o)
	for _, call := range calls {
		err := call.call(t.Context(), c)
		wantError(t, err, headscale.Error{Op: call.op, Class: headscale.Unreachable})
		wantSealed(t, o, c, err)
	}
}

// A read survives a fault that passes, and every try is observed.
func TestReadsAreTriedAgain(t *testing.T) {
	s, o := home(t, headscaledouble.Options{})
	s.Fail(headscaledouble.Fault{Times: 1, Answer: headscaledouble.Drop})
	s.Fail(headscaledouble.Fault{Times: 1, Answer: headscaledouble.BadGateway})
	var seen []string
	o.Observe = func(op headscale.Op, c headscale.Class, d time.Duration) {
		if d < 0 {
			t.Error("time runs backwards")
		}
		seen = append(seen, string(op)+" "+string(c))
	}
	nodes, err := connect(t, o).Nodes(t.Context())
	if err != nil || len(nodes) != 1 {
		t.Errorf("%v: %v", nodes, err)
	}
	if want := []string{"list-nodes unreachable", "list-nodes not-headscale", "list-nodes ok"}; !slices.Equal(seen, want) {
		t.Errorf("%q", seen)
	}
}

// An id that is none never becomes part of a path.
func TestIDsThatAreNone(t *testing.T) {
	s, o := serve(t, headscaledouble.Options{})
	c := connect(t, o)
	for _, id := range []string{"", "0", "01", "-1", "a", "1/../2", "1?x", "18446744073709551616"} {
		id := node.ID(id)
		wantClass(t, "node", second(c.Node(t.Context(), id)), headscale.Refused)
		wantClass(t, "gone", second(c.Gone(t.Context(), id)), headscale.Refused)
		wantClass(t, "delete", c.DeleteNode(t.Context(), id), headscale.Refused)
		wantClass(t, "approve", second(c.ApproveRoutes(t.Context(), id, nil)), headscale.Refused)
		wantClass(t, "expire", c.ExpireKey(t.Context(), id), headscale.Refused)
	}
	if sent := s.Requests(); len(sent) != 0 {
		t.Errorf("sent %v", sent)
	}
}

// The key is sent where it is needed and nowhere else.
func TestKeyIsSent(t *testing.T) {
	s, o := home(t, headscaledouble.Options{})
	o.Key = sealed.New(" " + string(o.Key.Open()) + "\n") // as Secrets made from files have it
	c := connect(t, o)
	for _, call := range calls {
		_ = call.call(t.Context(), c) // whatever comes of it
	}
	for _, r := range s.Requests() {
		want := strings.TrimSpace(string(o.Key.Open()))
		if r.Path == "/version" || r.Path == "/health" {
			want = ""
		}
		if r.Key != want {
			t.Errorf("%s %s: key %q", r.Method, r.Path, r.Key)
		}
	}
}
