package headscale

import (
	"net/http"
	"testing"

	"tsunaro.io/gateway/minter/node"
)

var bodies = []string{
	`{"nodes":[]}`, `{"nodes":[` + gateway + `]}`, `{"node":` + gateway + `}`, `{}`, `null`, `[]`, `{"$schema":"x","nodes":[{}]}`,
	`{"preAuthKey":{"id":"7","key":"hskey-auth-EXAMPLE-1","reusable":true,"ephemeral":false,"expiration":"2026-12-02T08:00:00Z","aclTags":["tag:gw-a"]}}`,
	`{"preAuthKeys":[{"id":"7","key":"hskey-auth-EXAMPLE-***","expiration":"2026-12-02T08:00:00Z"}]}`,
	`{"apiKeys":[{"id":"1","prefix":"hskey-api-LiuN1mTF34SI-***","expiration":null}]}`, `{"apiKey":"hskey-api-LiuN1mTF34SI-s"}`,
	`{"code":5,"message":"node not found","details":[]}`, `{"title":"Not Found","status":404}`, `Unauthorized`, `<html>`,
	`{"status":"pass"}`, `{"version":"v0.29.3"}`,
}

// What a class says of the status is true, whatever the body is.
func FuzzJudge(f *testing.F) {
	for _, body := range bodies {
		for _, media := range []string{jsonType, problemType, plainType, "text/html; charset=utf-8", ""} {
			f.Add(404, media, []byte(body))
			f.Add(200, media, []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, status int, media string, body []byte) {
		a := judge(status, media, body, jsonType)
		right := map[Class]bool{
			OK:           status == http.StatusOK && !a.passing,
			NotFound:     status == http.StatusNotFound && !a.uncertain,
			Unauthorized: status == http.StatusUnauthorized && !a.uncertain,
			Refused:      status >= http.StatusBadRequest && status != http.StatusNotFound && status != http.StatusUnauthorized,
			NotHeadscale: a.uncertain,
		}
		if !right[a.class] {
			t.Errorf("%d %s %q: %+v", status, media, body, a)
		}
	})
}

// What is parsed keeps what the decoders promise.
func FuzzDecode(f *testing.F) {
	for _, body := range bodies {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if nodes, ok := atNow().parseNodes(body); ok {
			seen := map[node.ID]bool{}
			for _, n := range nodes {
				wantNode(t, n)
				if seen[n.ID] {
					t.Errorf("twice: %s", n.ID)
				}
				seen[n.ID] = true
			}
		}
		if n, ok := atNow().parseNode("4")(body); ok {
			wantNode(t, n)
			if n.ID != "4" {
				t.Errorf("another node: %s", n.ID)
			}
		}
		if m, ok := parseKey(body); ok {
			wantID(t, m.key.ID)
			if !secret(string(m.bytes.Open())) {
				t.Error("bytes of no key")
			}
		}
		if keys, ok := parseExpirations(body); ok {
			for id := range keys {
				wantID(t, id)
			}
		}
		if keys, ok := parseAPIKeys(body); ok {
			for _, k := range keys {
				wantID(t, k.ID)
				if len(k.Prefix) != prefixLength || !secret(k.Prefix) {
					t.Errorf("prefix %q", k.Prefix)
				}
			}
		}
		if key, ok := parseAPIKey(body); ok && !token(string(key.Open())) {
			t.Error("a key that no header takes")
		}
		if v, ok := parseVersion(body); ok && (v == "" || len(v) > 64) {
			t.Errorf("version %q", v)
		}
		done(body)
	})
}

func wantID(t *testing.T, id node.ID) {
	t.Helper()
	if _, ok := node.ParseID(string(id)); !ok {
		t.Errorf("id %q", id)
	}
}

func wantNode(t *testing.T, n node.Node) {
	t.Helper()
	wantID(t, n.ID)
	if n.KeyID != "" {
		wantID(t, n.KeyID)
	}
	if !machineKey.MatchString(n.MachineKey) || !nodeKey.MatchString(n.NodeKey) {
		t.Errorf("keys %q %q", n.MachineKey, n.NodeKey)
	}
	for _, a := range n.Addresses {
		if !a.IsValid() || a.Zone() != "" {
			t.Errorf("address %v", a)
		}
	}
}
