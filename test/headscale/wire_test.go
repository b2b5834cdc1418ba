package headscale

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"tsunaro.io/gateway/minter/sealed"
)

// exchange is a request in words and what must come back. The paths of an
// expectation are those of an object's fields; an absent field is no match.
type exchange struct {
	name         string
	method, path string
	body         string
	status       int
	media        string
	fields       map[string]any
}

const (
	asJSON  = "application/json"
	asPlain = "text/plain; charset=utf-8"
)

// What the client never sends, or does not look at, and what its rules rest on.
var exchanges = []exchange{
	{"no node", "GET", "/api/v1/node/999", "", 404, asJSON, grpc(5)},
	{"no node to delete", "DELETE", "/api/v1/node/999", "", 404, asJSON, grpc(5)},
	{"an unknown route looks the same", "GET", "/api/v1/nope", "", 404, asJSON, grpc(5)},
	{"outside the API", "GET", "/nope", "", 404, asPlain, nil},
	{"an id that is none", "GET", "/api/v1/node/abc", "", 400, asJSON, grpc(3)},
	{"an id that is too large", "GET", "/api/v1/node/18446744073709551616", "", 400, asJSON, grpc(3)},
	{"a method that is none", "PATCH", "/api/v1/node", "", 501, asJSON, grpc(12)},
	{"routes of no node", "POST", "/api/v1/node/999/approve_routes", `{"routes":["10.0.0.0/24"]}`, 400, asJSON, grpc(3)},
	{"routes that are none", "POST", "/api/v1/node/999/approve_routes", `{"routes":["nope"]}`, 500, asJSON, grpc(2)},

	{"a key without an expiration has expired", "POST", "/api/v1/preauthkey", `{"aclTags":["tag:a"]}`, 200, asJSON,
		map[string]any{"preAuthKey.expiration": "0001-01-01T00:00:00Z", "preAuthKey.reusable": false, "preAuthKey.user": nil}},
	{"an expiration in another zone", "POST", "/api/v1/preauthkey", `{"aclTags":["tag:a"],"expiration":"2030-01-01T01:00:00.123456789+01:00"}`, 200, asJSON,
		map[string]any{"preAuthKey.expiration": "2030-01-01T00:00:00.123456789Z", "preAuthKey.id": "2"}},
	{"snake case, unknown fields", "POST", "/api/v1/preauthkey", `{"acl_tags":["tag:b","tag:a","tag:b"],"bogus":1,"expiration":"2030-01-01T00:00:00Z"}`, 200, asJSON,
		map[string]any{"preAuthKey.aclTags": []any{"tag:a", "tag:b"}, "preAuthKey.ephemeral": false, "preAuthKey.used": false}},
	{"a user by number", "POST", "/api/v1/preauthkey", `{"user":1,"reusable":true,"ephemeral":true,"expiration":"2030-01-01T00:00:00Z"}`, 200, asJSON,
		map[string]any{"preAuthKey.aclTags": []any{}, "preAuthKey.reusable": true, "preAuthKey.ephemeral": true}},
	{"a user that is none", "POST", "/api/v1/preauthkey", `{"user":"77"}`, 500, asJSON, grpc(2)},
	{"a user by name", "POST", "/api/v1/preauthkey", `{"user":"lab"}`, 400, asJSON, grpc(3)},
	{"neither user nor tag", "POST", "/api/v1/preauthkey", `{}`, 500, asJSON, grpc(2)},
	{"a tag that is none", "POST", "/api/v1/preauthkey", `{"aclTags":["gateway"]}`, 400, asJSON, grpc(3)},
	{"an expiration that is none", "POST", "/api/v1/preauthkey", `{"aclTags":["tag:a"],"expiration":"tomorrow"}`, 400, asJSON, grpc(3)},
	{"JSON that is none", "POST", "/api/v1/preauthkey", `{"aclTags":`, 400, asJSON, grpc(3)},

	{"expiring by id", "POST", "/api/v1/preauthkey/expire", `{"id":"1"}`, 200, asJSON, map[string]any{}},
	{"expiring by a number", "POST", "/api/v1/preauthkey/expire", `{"id":2}`, 200, asJSON, map[string]any{}},
	{"expiring what is not there", "POST", "/api/v1/preauthkey/expire", `{"id":"999"}`, 200, asJSON, map[string]any{}},
	{"expiring by user and key does nothing", "POST", "/api/v1/preauthkey/expire", `{"user":"1","key":"hskey-auth-x"}`, 200, asJSON, map[string]any{}},
	{"expiring an id in another spelling", "POST", "/api/v1/preauthkey/expire", `{"id":"01"}`, 400, asJSON, grpc(3)},

	{"an API key of no prefix and no id", "POST", "/api/v1/apikey/expire", `{}`, 400, asJSON, grpc(3)},
	{"an API key that is not there", "POST", "/api/v1/apikey/expire", `{"prefix":"aaaaaaaaaaaa"}`, 500, asJSON, grpc(2)},
	{"the database", "GET", "/api/v1/health", "", 200, asJSON, map[string]any{"databaseConnectivity": true}},
	{"the version", "GET", "/version", "", 200, asJSON, map[string]any{"version": "v0.29.3"}},
	{"health", "GET", "/health", "", 200, "application/health+json; charset=utf-8", map[string]any{"status": "pass"}},
}

// grpc is an error of 0.29. Its text is Headscale's own affair.
func grpc(code int) map[string]any {
	return map[string]any{"code": float64(code), "details": []any{}}
}

func TestWire(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		key := s.apiKey(t)
		for _, e := range exchanges {
			status, media, body := s.send(ctx, t, e, key)
			if status != e.status || media != e.media {
				t.Errorf("%s: %d %s, not %d %s: %s", e.name, status, media, e.status, e.media, body)
			}
			for path, want := range e.fields {
				if got, ok := field(body, path); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s: %s is %v, not %v: %s", e.name, path, got, want, body)
				}
			}
		}
	})
}

// The key's bytes are in one answer only: the list masks them.
//
// REQ: MT-08
func TestListsAreMasked(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		key := s.apiKey(t)
		_, _, body := s.send(ctx, t, exchange{method: "POST", path: "/api/v1/preauthkey", body: `{"aclTags":["tag:a"],"expiration":"2030-01-01T00:00:00Z"}`}, key)
		minted, ok := field(body, "preAuthKey.key")
		if !ok || !strings.HasPrefix(minted.(string), "hskey-auth-") {
			t.Fatalf("no key: %s", body)
		}
		_, _, list := s.send(ctx, t, exchange{method: "GET", path: "/api/v1/preauthkey"}, key)
		shown := minted.(string)[:len("hskey-auth-")+12] + "-***"
		if strings.Contains(list, minted.(string)) || !strings.Contains(list, `"`+shown+`"`) {
			t.Errorf("%s", list)
		}
		_, _, list = s.send(ctx, t, exchange{method: "GET", path: "/api/v1/apikey"}, key)
		shown = string(key.Open())[:len("hskey-api-")+12] + "-***"
		if strings.Contains(list, string(key.Open())) || !strings.Contains(list, `"`+shown+`"`) {
			t.Errorf("%s", list)
		}
	})
}

// Who has no key, or a wrong one, gets plain text.
func TestWireUnauthorized(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		for _, key := range []sealed.Bytes{{}, sealed.New("wrong")} {
			for _, path := range []string{"/api/v1/node", "/api/v1/nope"} {
				status, media, body := s.send(ctx, t, exchange{method: "GET", path: path}, key)
				if status != 401 || media != asPlain || body != "Unauthorized" {
					t.Errorf("%s: %d %s %s", path, status, media, body)
				}
			}
		}
	})
}

// The single node and the list differ: only the list names the owner of a tagged
// node and, where there are some, the routes that it serves.
func TestWireNode(t *testing.T) {
	each(t, func(t *testing.T, ctx context.Context, s subject) {
		key, id := s.apiKey(t), s.machine(t, "gw", "tag:gateway")
		_, _, single := s.send(ctx, t, exchange{method: "GET", path: "/api/v1/node/" + string(id)}, key)
		_, _, list := s.send(ctx, t, exchange{method: "GET", path: "/api/v1/node"}, key)
		list = strings.TrimSuffix(strings.Replace(list, `{"nodes":[`, `{"node":`, 1), "]}") + "}"
		for path, want := range map[string]any{
			"node.id": string(id), "node.name": "gw", "node.givenName": "gw", "node.online": false, "node.preAuthKey": nil,
			"node.tags": []any{"tag:gateway"}, "node.approvedRoutes": []any{}, "node.availableRoutes": []any{}, "node.subnetRoutes": []any{},
		} {
			for _, body := range []string{single, list} {
				if got, ok := field(body, path); !ok || fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s is %v, not %v: %s", path, got, want, body)
				}
			}
		}
		if owner, ok := field(single, "node.user"); !ok || owner != nil {
			t.Errorf("single: %v", owner)
		}
		if owner, ok := field(list, "node.user.name"); !ok || owner != "tagged-devices" {
			t.Errorf("list: %v", owner)
		}
	})
}

// send sends a request as it stands.
func (s subject) send(ctx context.Context, t *testing.T, e exchange, key sealed.Bytes) (status int, media, body string) {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(s.ca)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, DisableKeepAlives: true}
	request, err := http.NewRequestWithContext(ctx, e.method, s.url+e.path, bytes.NewReader([]byte(e.body)))
	if err != nil {
		t.Fatal(err)
	}
	if !key.Empty() {
		request.Header.Set("Authorization", "Bearer "+string(key.Open()))
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	data, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("Content-Type"), string(data)
}

// field is the value at a path of a JSON object.
func field(body, path string) (any, bool) {
	var v any
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		return nil, false
	}
	for name := range strings.SplitSeq(path, ".") {
		object, ok := v.(map[string]any)
		if !ok {
			return nil, false
		}
		if v, ok = object[name]; !ok {
			return nil, false
		}
	}
	return v, true
}
