package headscale_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/test/testbed/headscaledouble"
)

const (
	asJSON    = "application/json"
	asProblem = "application/problem+json"
)

// What Headscale answers to a mint, and what comes of it. Where the client has a
// key to return, mint.Check decides; where it has none, one may exist.
//
// REQ: MT-01 MT-02
func TestB19(t *testing.T) {
	const expires = "2026-12-02T08:00:00Z"
	answer := func(id, key, flags, expiration, tags string) string {
		return `{"preAuthKey":{"user":null,"id":"` + id + `","key":"` + key + `",` + flags + `,"used":false` + expiration + `,"createdAt":"2026-12-01T08:00:00Z","aclTags":` + tags + `}}`
	}
	const (
		flags   = `"reusable":true,"ephemeral":false`
		until   = `,"expiration":"` + expires + `"`
		sorted  = `["tag:gw-a","tag:gw-b"]`
		example = "hskey-auth-EXAMPLE-1"
	)
	tests := []struct {
		name   string
		answer string
		class  headscale.Class
		reason error // of mint.Check
	}{
		{"tags in another order", answer("7", example, flags, until, sorted), headscale.OK, nil},
		{"year 0001", answer("7", "x", flags, `,"expiration":"0001-01-01T00:00:00Z"`, sorted), headscale.OK, mint.OtherExpiry},
		{"expiration null", answer("7", "x", flags, `,"expiration":null`, sorted), headscale.OK, mint.OtherExpiry},
		{"no expiration", answer("7", "x", flags, ``, sorted), headscale.OK, mint.OtherExpiry},
		{"leading zeros", answer("007", "x", flags, until, sorted), headscale.Lost, nil},
		{"id zero", answer("0", "x", flags, until, sorted), headscale.Lost, nil},
		{"id of 65 bits", answer("18446744073709551616", "x", flags, until, sorted), headscale.Lost, nil},
		{"no key", answer("7", "", flags, until, sorted), headscale.Lost, nil},
		{"a masked key", answer("7", "hskey-auth-EXAMPLE-***", flags, until, sorted), headscale.Lost, nil},
		{"ephemeral", answer("7", "x", `"reusable":true,"ephemeral":true`, until, sorted), headscale.OK, mint.Ephemeral},
		{"single use", answer("7", "x", `"reusable":false,"ephemeral":false`, until, sorted), headscale.OK, mint.NotReusable},
		{"ephemeral or not", answer("7", "x", `"reusable":true`, until, sorted), headscale.Lost, nil},
		{"a tag less", answer("7", "x", flags, until, `["tag:gw-a"]`), headscale.OK, mint.OtherTags},
		{"a tag more", answer("7", "x", flags, until, `["tag:gw-a","tag:gw-b","tag:other"]`), headscale.OK, mint.OtherTags},
		{"no tags", answer("7", "x", flags, until, `null`), headscale.OK, mint.OtherTags},
		{"another object", `{"preAuthKeys":[]}`, headscale.Lost, nil},
	}
	for _, tt := range tests {
		s, o := serve(t, headscaledouble.Options{})
		s.Fail(headscaledouble.Fault{Answer: headscaledouble.Status(200, asJSON, tt.answer)})
		key, bytes, err := connect(t, o).CreateKey(t.Context(), request)
		wantClass(t, tt.name, err, tt.class)
		if err != nil && (!bytes.Empty() || key.ID != "") {
			t.Errorf("%s: an error and a key", tt.name)
		}
		if err == nil {
			if _, reason := mint.Check(request, key, bytes); reason != tt.reason {
				t.Errorf("%s: %v, not %v", tt.name, reason, tt.reason)
			}
			if key.ID != "7" || !strings.Contains(tt.answer, `"`+string(bytes.Open())+`"`) {
				t.Errorf("%s: not what was answered: %+v", tt.name, key)
			}
		}
		sent := s.Requests()
		want := `{"reusable":true,"ephemeral":false,"expiration":"` + expires + `","aclTags":["tag:gw-b","tag:gw-a"]}`
		if len(sent) != 1 || sent[0].Body != want {
			t.Errorf("%s: sent %v", tt.name, sent)
		}
	}

	s, o := serve(t, headscaledouble.Options{})
	s.Fail(headscaledouble.Fault{Answer: headscaledouble.Status(400, asJSON, `{"code":3,"message":"proto: (line 1:9): invalid value for uint64 field user: ...","details":[]}`)})
	_, _, err := connect(t, o).CreateKey(t.Context(), request)
	wantClass(t, "HTTP 400", err, headscale.Refused)
}

// Ending the key at teardown: by its recorded id and nothing else. Yes and
// Headscale's own 404 let the teardown go on, no text is read to guess more.
func TestB21(t *testing.T) {
	for _, tt := range []struct {
		status      int
		media, body string
		class       headscale.Class
	}{
		{200, asJSON, `{}`, headscale.OK},
		{404, asJSON, `{"code":5,"message":"not found","details":[]}`, headscale.NotFound},
		{404, asProblem, `{"title":"Not Found","status":404}`, headscale.NotFound},
		{500, asJSON, `{"code":2,"message":"preauth key does not belong to user","details":[]}`, headscale.Refused},
		{500, asJSON, `{"code":2,"message":"failed to parse auth-key: key too short","details":[]}`, headscale.Refused},
		{401, "text/plain", `Unauthorized`, headscale.Unauthorized},
	} {
		s, o := serve(t, headscaledouble.Options{})
		s.Fail(headscaledouble.Fault{Answer: headscaledouble.Status(tt.status, tt.media, tt.body)})
		wantClass(t, tt.body, connect(t, o).ExpireKey(t.Context(), "7"), tt.class)
		sent := s.Requests()
		if len(sent) != 1 || sent[0].Method != "POST" || sent[0].Path != "/api/v1/preauthkey/expire" || sent[0].Body != `{"id":"7"}` {
			t.Errorf("sent %v", sent)
		}
	}
}

// b25 are replies to a request about the node 4, Headscale's own and a proxy's.
func b25(elsewhere string) []struct {
	name  string
	reply http.HandlerFunc
	class headscale.Class
} {
	status := headscaledouble.Status
	return []struct {
		name  string
		reply http.HandlerFunc
		class headscale.Class
	}{
		{"1: a proxy's 404", headscaledouble.NoRoute, headscale.NotHeadscale},
		{"2: 0.29's 404", status(404, asJSON, `{"code":5,"message":"node not found","details":[]}`), headscale.NotFound},
		{"3: 0.30's 404", status(404, asProblem, `{"title":"Not Found","status":404}`), headscale.NotFound},
		{"4: a login page", headscaledouble.LoginPage, headscale.NotHeadscale},
		{"5: to a login page", headscaledouble.Redirect(elsewhere + "/login"), headscale.NotHeadscale},
		{"5: nowhere", headscaledouble.Redirect("http://[broken"), headscale.NotHeadscale},
		{"6: 405", status(405, "text/plain", "Method Not Allowed"), headscale.NotHeadscale},
		{"7: 502", headscaledouble.BadGateway, headscale.NotHeadscale},
		{"7: 504", status(504, "text/html", "<html>504"), headscale.NotHeadscale},
		{"8: not found in 500", status(500, asJSON, `{"code":2,"message":"record not found","details":[]}`), headscale.Refused},

		{"a 404 in JSON of somebody else", status(404, asJSON, `{"message":"no Route matched with those values"}`), headscale.NotHeadscale},
		{"a 404 with another code", status(404, asJSON, `{"code":2,"message":"","details":[]}`), headscale.NotHeadscale},
		{"a 404 without details", status(404, asJSON, `{"code":5,"message":"Not Found"}`), headscale.NotHeadscale},
		{"a 404 that says 403", status(404, asProblem, `{"title":"Not Found","status":403}`), headscale.NotHeadscale},
		{"a 404 as text", status(404, "text/plain", `{"code":5,"message":"Not Found","details":[]}`), headscale.NotHeadscale},
		{"a 404 of no type", status(404, ";", `{"code":5,"message":"Not Found","details":[]}`), headscale.NotHeadscale},
		{"a 200 that says 404", status(200, asProblem, `{"title":"Not Found","status":404}`), headscale.NotHeadscale},
		{"a proxy's 401", status(401, "text/html", `Unauthorized`), headscale.NotHeadscale},
		{"0.30's 401", status(401, asProblem, `{"title":"Unauthorized","status":401}`), headscale.Unauthorized},
		{"204", status(204, asJSON, ``), headscale.NotHeadscale},
		{"no object", status(200, asJSON, `null`), headscale.NotHeadscale},
		{"another object", status(200, asJSON, `{"error":"login required"}`), headscale.NotHeadscale},
	}
}

// A proxy's answer to a deletion decides nothing, and nothing is sent to where it
// points.
//
// REQ: LC-06
func TestB25(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("%s, with a key: %t", r.URL, r.Header.Get("Authorization") != "")
	}))
	defer other.Close()
	for _, tt := range b25(other.URL) {
		s, o := home(t, headscaledouble.Options{})
		s.Fail(headscaledouble.Fault{Method: "DELETE", Answer: tt.reply})
		wantClass(t, tt.name, connect(t, o).DeleteNode(t.Context(), "4"), tt.class)
		if n := len(s.Requests()); n != 1 {
			t.Errorf("%s: %d requests", tt.name, n)
		}
	}
}

// A node is gone when Headscale says so and the list, which is complete, says so
// too: each of the two alone may come from somebody else.
//
// REQ: LC-06
func TestGoneNeedsTwoWitnesses(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	for _, tt := range b25(other.URL) {
		for name, id := range map[string]node.ID{"there": "4", "not there": "5"} {
			s, o := home(t, headscaledouble.Options{})
			s.Fail(headscaledouble.Fault{Path: "/api/v1/node/*", Answer: tt.reply})
			gone, err := connect(t, o).Gone(t.Context(), id)
			want := tt.class
			if want == headscale.NotFound {
				want = headscale.OK // the first witness has spoken
			}
			wantClass(t, tt.name+", "+name, err, want)
			if gone != (tt.class == headscale.NotFound && id == "5") {
				t.Errorf("%s, %s: gone %t", tt.name, name, gone)
			}

			s.Heal() // now the second witness
			s.Fail(headscaledouble.Fault{Path: "/api/v1/node", Answer: tt.reply})
			gone, err = connect(t, o).Gone(t.Context(), id)
			want = tt.class
			if id == "4" {
				want = headscale.OK // it is there, and the list is not asked
			}
			wantClass(t, "list: "+tt.name+", "+name, err, want)
			if gone {
				t.Errorf("list: %s, %s: gone", tt.name, name)
			}
		}
	}
}

// A list that might not be whole is no witness.
func TestGoneOnlyByAWholeList(t *testing.T) {
	for list, gone := range map[string]bool{
		`{"nodes":[]}`: true,
		`{"$schema":"https://headscale.example/schemas/ListNodes.json","nodes":[]}`: true,
		`{}`:                                 false,
		`{"nodes":null}`:                     false,
		`{"nodes":[],"nextPage":"2"}`:        false,
		`{"nodes":[],"nodes":[]}`:            false,
		`{"Nodes":[]}`:                       false,
		`{"nodes":[]} {}`:                    false,
		`{"nodes":[]`:                        false,
		`[]`:                                 false,
		`{"nodes":[null]}`:                   false,
		`{"nodes":[{"id":"4"}]}`:             false,
		`{"nodes":` + strings.Repeat("[", 9): false,
	} {
		s, o := serve(t, headscaledouble.Options{})
		s.Fail(headscaledouble.Fault{Path: "/api/v1/node", Answer: headscaledouble.Status(200, asJSON, list)})
		got, err := connect(t, o).Gone(t.Context(), "4")
		want := headscale.NotHeadscale
		if gone {
			want = headscale.OK
		}
		wantClass(t, list, err, want)
		if got != gone {
			t.Errorf("%s: gone %t", list, got)
		}
	}
}

// What is known of 0.30: ending what is not there is an error, in the new form.
func TestNextVersion(t *testing.T) {
	s, o := home(t, headscaledouble.Options{Next: true})
	c := connect(t, o)
	wantClass(t, "unknown key", c.ExpireKey(t.Context(), "7"), headscale.NotFound)
	wantClass(t, "unknown API key", c.ExpireAPIKey(t.Context(), "aaaaaaaaaaaa"), headscale.NotFound)
	wantClass(t, "unknown node", c.DeleteNode(t.Context(), "9"), headscale.NotFound)
	if gone, err := c.Gone(t.Context(), "9"); !gone || err != nil {
		t.Errorf("gone %t: %v", gone, err)
	}
	_, _, err := c.CreateKey(t.Context(), mint.New([]string{"gateway"}, time.Now()))
	wantClass(t, "a tag that is none", err, headscale.Refused)
	key, _, err := c.CreateKey(t.Context(), request)
	if err != nil {
		t.Fatal(err)
	}
	wantClass(t, "expiring", c.ExpireKey(t.Context(), key.ID), headscale.OK)
	if v, err := c.Version(t.Context()); err != nil || v != "v0.30.0" {
		t.Errorf("version %q: %v", v, err)
	}
	if n := s.Count("POST", "/api/v1/preauthkey"); n != 2 {
		t.Errorf("%d mints", n)
	}
}
