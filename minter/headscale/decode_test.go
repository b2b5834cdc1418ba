package headscale

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/sealed"
)

// now is the time of the answers.
var now = time.Date(2026, 12, 1, 8, 0, 0, 0, time.UTC)

func atNow() *Client { return &Client{now: func() time.Time { return now }} }

// gateway is a node in the shape of Headscale 0.29.3.
var gateway = `{"id":"4","machineKey":"mkey:` + strings.Repeat("2d", 32) + `","nodeKey":"nodekey:` + strings.Repeat("8d", 32) + `","discoKey":"discokey:0e",` +
	`"ipAddresses":["100.64.0.2","fd7a:115c:a1e0::2"],"name":"lab-gw","user":{"id":"2147455555","name":"tagged-devices","createdAt":"0001-01-01T00:00:00Z"},` +
	`"lastSeen":"2026-12-01T07:59:59.533861622Z","expiry":null,"preAuthKey":{"user":null,"id":"8","key":"hskey-auth-Ry-CEqAoPktb-***","reusable":true,` +
	`"ephemeral":false,"used":true,"expiration":"2026-12-02T08:00:00Z","createdAt":"2026-12-01T08:00:00.5Z","aclTags":["tag:gateway"]},` +
	`"createdAt":"2026-12-01T08:00:01.8Z","registerMethod":"REGISTER_METHOD_AUTH_KEY","givenName":"lab-gw-x7","online":true,` +
	`"approvedRoutes":["10.96.0.0/24","10.98.0.0/24"],"availableRoutes":["10.96.0.0/24","10.97.0.0/24"],"subnetRoutes":["10.96.0.0/24"],"tags":["tag:gateway"]}`

// with replaces a part of the gateway.
func with(t *testing.T, old, new string) string {
	t.Helper()
	if strings.Count(gateway, old) != 1 {
		t.Fatalf("%q is not once in the gateway", old)
	}
	return strings.Replace(gateway, old, new, 1)
}

func TestNode(t *testing.T) {
	want := node.Node{
		ID: "4", MachineKey: "mkey:" + strings.Repeat("2d", 32), NodeKey: "nodekey:" + strings.Repeat("8d", 32),
		Name: "lab-gw", GivenName: "lab-gw-x7", Tags: []string{"tag:gateway"}, Online: true, KeyID: "8",
		Addresses:  []netip.Addr{netip.MustParseAddr("100.64.0.2"), netip.MustParseAddr("fd7a:115c:a1e0::2")},
		Advertised: []netip.Prefix{netip.MustParsePrefix("10.96.0.0/24"), netip.MustParsePrefix("10.97.0.0/24")},
		Approved:   []netip.Prefix{netip.MustParsePrefix("10.96.0.0/24"), netip.MustParsePrefix("10.98.0.0/24")},
		Served:     []netip.Prefix{netip.MustParsePrefix("10.96.0.0/24")},
	}
	single, ok := atNow().parseNode("4")([]byte(`{"node":` + gateway + `}`))
	if !ok || !equal(single, want) {
		t.Errorf("%+v", single)
	}
	list, ok := atNow().parseNodes([]byte(`{"nodes":[` + gateway + `]}`))
	if !ok || len(list) != 1 || !equal(list[0], want) {
		t.Errorf("%+v", list)
	}
	if _, ok := atNow().parseNode("5")([]byte(`{"node":` + gateway + `}`)); ok {
		t.Error("the answer about another node is taken")
	}
	if _, ok := atNow().parseNodes([]byte(`{"nodes":[` + gateway + `,` + gateway + `]}`)); ok {
		t.Error("the same id twice is taken")
	}
}

func equal(a, b node.Node) bool {
	return a.ID == b.ID && a.MachineKey == b.MachineKey && a.NodeKey == b.NodeKey && a.Name == b.Name && a.GivenName == b.GivenName &&
		a.Online == b.Online && a.Expired == b.Expired && a.KeyID == b.KeyID && slices.Equal(a.Tags, b.Tags) && slices.Equal(a.Addresses, b.Addresses) &&
		slices.Equal(a.Advertised, b.Advertised) && slices.Equal(a.Approved, b.Approved) && slices.Equal(a.Served, b.Served)
}

// Shapes of a node that are seen, or may be.
func TestNodeShapes(t *testing.T) {
	for _, tt := range []struct {
		name, old, new string
		want           func(node.Node) bool // nil: refused
	}{
		{"registered by hand", `"preAuthKey":{`, `"preAuthKey":null,"was":{`, func(n node.Node) bool { return n.KeyID == "" }},
		{"expires later", `"expiry":null`, `"expiry":"2026-12-01T08:00:00.1Z"`, func(n node.Node) bool { return !n.Expired }},
		{"expires now", `"expiry":null`, `"expiry":"2026-12-01T09:00:00+01:00"`, func(n node.Node) bool { return n.Expired }},
		{"expires never, in other words", `"expiry":null`, `"expiry":"0001-01-01T00:00:00Z"`, func(n node.Node) bool { return !n.Expired }},
		{"no expiry", `"expiry":null,`, ``, func(n node.Node) bool { return !n.Expired }},
		{"not said to be online", `"online":true,`, ``, func(n node.Node) bool { return !n.Online }},
		{"of a single answer", `"subnetRoutes":["10.96.0.0/24"]`, `"subnetRoutes":[]`, func(n node.Node) bool { return len(n.Served) == 0 }},
		{"lists that are null", `"tags":["tag:gateway"]`, `"tags":null`, func(n node.Node) bool { return len(n.Tags) == 0 }},
		{"unknown fields", `"online":true`, `"online":true,"isOnline":{"for":["ever"]}`, func(n node.Node) bool { return n.Online }},
		{"no name", `"name":"lab-gw",`, `"name":"",`, func(n node.Node) bool { return n.Name == "" }},
		{"name in another case", `"givenName":"lab-gw-x7"`, `"givenName":"LAB-gw"`, func(n node.Node) bool { return n.GivenName == "LAB-gw" }},

		{"a number for an id", `"id":"4"`, `"id":4`, nil},
		{"an id in another spelling", `"id":"4"`, `"id":"04"`, nil},
		{"no id", `"id":"4",`, ``, nil},
		{"a field in another case", `"id":"4"`, `"ID":"4"`, nil},
		{"two ids", `"id":"4"`, `"id":"4","id":"5"`, nil},
		{"a short key", `2d2d"`, `2d"`, nil},
		{"a key in capitals", `2d2d"`, `2D2D"`, nil},
		{"keys of another kind", `"mkey:`, `"nodekey:`, nil},
		{"no node key", `"nodeKey":`, `"wasNodeKey":`, nil},
		{"a name that is missing", `"name":"lab-gw",`, ``, nil},
		{"a name that is null", `"givenName":"lab-gw-x7"`, `"givenName":null`, nil},
		{"a name that is a list", `"name":"lab-gw"`, `"name":["lab-gw"]`, nil},
		{"a key of no id", `"preAuthKey":{"user":null,"id":"8"`, `"preAuthKey":{"user":null`, nil},
		{"a key of id zero", `"id":"8"`, `"id":"0"`, nil},
		{"an address that is none", `"100.64.0.2"`, `"100.64.0.256"`, nil},
		{"an empty address", `"100.64.0.2"`, `""`, nil},
		{"an address of a link", `"fd7a:115c:a1e0::2"`, `"fe80::1%eth0"`, nil},
		{"a route that is none", `"10.97.0.0/24"`, `"10.97.0.0/33"`, nil},
		{"an empty route", `"10.97.0.0/24"`, `""`, nil},
		{"a time in words", `"expiry":null`, `"expiry":"soon"`, nil},
		{"a time of no zone", `"expiry":null`, `"expiry":"2026-12-01T08:00:00"`, nil},
		{"a time in seconds", `"expiry":null`, `"expiry":{"seconds":1796003787}`, nil},
		{"online in words", `"online":true`, `"online":"true"`, nil},
	} {
		body := with(t, tt.old, tt.new)
		n, ok := atNow().parseNode("4")([]byte(`{"node":` + body + `}`))
		if ok != (tt.want != nil) || ok && !tt.want(n) {
			t.Errorf("%s: %t %+v", tt.name, ok, n)
		}
		if _, listed := atNow().parseNodes([]byte(`{"nodes":[` + body + `]}`)); listed != ok {
			t.Errorf("%s: the list says %t", tt.name, listed)
		}
	}
}

// The list of keys is read for one thing only.
//
// REQ: MT-08
func TestExpirations(t *testing.T) {
	key := func(id, expiration string) string {
		return `{"user":null,"id":"` + id + `","key":"hskey-auth-ylSR-RLHdaB5-***","reusable":false,"ephemeral":false,"used":false,"expiration":` + expiration + `,"createdAt":"2026-12-01T08:00:00Z","aclTags":["tag:gateway"]}`
	}
	for list, want := range map[string]map[node.ID]time.Time{
		`[]`: {},
		`[` + key("1", `"2026-12-02T08:00:00Z"`) + `,` + key("2", `"0001-01-01T00:00:00Z"`) + `,` + key("3", `null`) + `]`: {"1": now.Add(24 * time.Hour), "2": {}, "3": {}},
		`null`:                             nil,
		`{}`:                               nil,
		`[` + key("01", `null`) + `]`:      nil,
		`[` + key("1", `"tomorrow"`) + `]`: nil,
		`[` + key("1", `null`) + `,` + key("1", `"2026-12-02T08:00:00Z"`) + `]`: nil,
	} {
		got, ok := parseExpirations([]byte(`{"preAuthKeys":` + list + `}`))
		if ok != (want != nil) || len(got) != len(want) {
			t.Errorf("%s: %t %v", list, ok, got)
		}
		for id, expires := range want {
			if !got[id].Equal(expires) {
				t.Errorf("%s: %s expires %v", list, id, got[id])
			}
		}
	}
}

func TestAPIKeyShapes(t *testing.T) {
	one := `{"id":"1","prefix":"hskey-api-LiuN1mTF34SI-***","expiration":"2026-12-02T08:00:00Z","createdAt":"2026-12-01T08:00:00Z","lastSeen":null}`
	for body, want := range map[string]int{
		`{"apiKeys":[]}`:            0,
		`{"apiKeys":[` + one + `]}`: 1,
		`{"apiKeys":[` + one + `,{"id":"2","prefix":"abcdefg","expiration":null}]}`: 1, // of an old server
		`{"apiKeys":null}`:                     -1,
		`{}`:                                   -1,
		`{"apiKeys":[{"id":"x","prefix":""}]}`: -1,
	} {
		keys, ok := parseAPIKeys([]byte(body))
		if ok != (want >= 0) || ok && len(keys) != want {
			t.Errorf("%s: %t %v", body, ok, keys)
		}
		for _, k := range keys {
			if k.ID != "1" || k.Prefix != "LiuN1mTF34SI" || !k.Expiration.Equal(now.Add(24*time.Hour)) {
				t.Errorf("%+v", k)
			}
		}
	}
	for text, want := range map[string]string{
		"hskey-api-Liu-1_TF34SI-" + strings.Repeat("s", 64) + "\n": "Liu-1_TF34SI",
		"hskey-api-LiuN1mTF34SI":                                   "",
		"hskey-api-LiuN1mTF34SI-":                                  "",
		"hskey-api-LiuN1mTF34S-secret":                             "",
		"hskey-auth-LiuN1mTF34SI-secret":                           "",
		"abcdefg.secret":                                           "",
		"":                                                         "",
	} {
		if got, ok := APIKeyPrefix(sealed.New(text)); got != want || ok != (want != "") {
			t.Errorf("%q: %q %t", text, got, ok)
		}
	}
	for body, ok := range map[string]bool{
		`{"apiKey":"hskey-api-LiuN1mTF34SI-s_s-"}`: true,
		`{"apiKey":""}`: false,
		`{"apiKey":"hskey-api-LiuN1mTF34SI-***"}`: false,
		`{"apiKey":"a b"}`:                        false,
		`{"apikey":"hskey-api-LiuN1mTF34SI-s"}`:   false,
		`{}`:                                      false,
	} {
		if key, got := parseAPIKey([]byte(body)); got != ok || key.Empty() == ok {
			t.Errorf("%s: %t", body, got)
		}
	}
}

func TestVersions(t *testing.T) {
	for body, want := range map[string]string{
		`{"version":"v0.29.3","commit":"unknown","go":{"version":"go1.26.8"},"dirty":false}`: "v0.29.3",
		`{"version":"dev"}`:                             "dev",
		`{"version":"v0.30.0-beta.1+dirty"}`:            "v0.30.0-beta.1+dirty",
		`{"version":""}`:                                "",
		`{"version":"<script>"}`:                        "",
		`{"version":"` + strings.Repeat("1", 65) + `"}`: "",
		`{}`: "",
	} {
		if got, ok := parseVersion([]byte(body)); got != want || ok != (want != "") {
			t.Errorf("%s: %q %t", body, got, ok)
		}
	}
}

func TestHealthShapes(t *testing.T) {
	for _, tt := range []struct {
		status      int
		media, body string
		class       Class
		parsed      bool
	}{
		{200, "application/health+json; charset=utf-8", `{"status":"pass"}`, OK, true},
		{200, "application/health+json", `{"status":"fail"}`, OK, false},
		{200, "application/json", `{"status":"pass"}`, NotHeadscale, false},
		{500, "application/health+json; charset=utf-8", `{"status":"fail"}`, Refused, false},
		{500, "application/health+json; charset=utf-8", `{"status":"pass"}`, NotHeadscale, false},
	} {
		a := judge(tt.status, tt.media, []byte(tt.body), healthType)
		if a.class != tt.class || a.class == OK && health(a.body, "pass") != tt.parsed {
			t.Errorf("%d %s %s: %s", tt.status, tt.media, tt.body, a.class)
		}
	}
}

// No change of the environment sends the key through somebody else's hands, and
// an answer is as long as what is sent.
func TestTransport(t *testing.T) {
	tr := transport(nil)
	if tr.Proxy != nil || !tr.DisableCompression || tr.MaxResponseHeaderBytes == 0 || tr.ForceAttemptHTTP2 {
		t.Errorf("%+v", tr)
	}
}
