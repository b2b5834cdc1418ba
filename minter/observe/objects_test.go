package observe

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
)

func decoded[T any](t testing.TB, text string) *T {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return &v
}

// The state Secret as the minter leaves it and as Tailscale does (B26).
//
// REQ: LC-08, MT-05
func TestStateOf(t *testing.T) {
	const head = `
apiVersion: v1
kind: Secret
metadata: {name: gw1-state, uid: s-1, resourceVersion: "1", creationTimestamp: "2026-11-29T12:00:00Z", labels: {tsunaro.io/gateway-uid: g-1}}
`
	for text, want := range map[string]proof.Content{
		"":                                    proof.Empty,
		"data: {}":                            proof.Empty,
		"data: {authkey: eA==}":               proof.Foreign,
		"data: {_machinekey: eA==}":           proof.Filled,
		"data: {}\nimmutable: true":           proof.Foreign,
		"data: {_machinekey: eA==, junk: ''}": proof.Filled,
	} {
		s := StateOf(decoded[corev1.Secret](t, head+text))
		if s.Content != want || s.Readable || s.UID != "s-1" || s.Revision != "1" || !s.Of("g-1") || s.Of("g-2") ||
			!s.Created.Equal(time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)) {
			t.Errorf("%q: %+v", text, s)
		}
	}
}

// A receipt's ConfigMap holds the receipt and nothing else.
//
// REQ: LC-13, LC-17, MT-03
func TestReceiptsOf(t *testing.T) {
	const head = `
apiVersion: v1
kind: ConfigMap
metadata: {name: gw1-fresh, uid: c-1, resourceVersion: "1", labels: {tsunaro.io/gateway-uid: g-1}}
immutable: true
`
	for text, want := range map[string]error{
		"":                                       receipt.ErrCompletion,
		"data: {receipt.json: '{}'}":             receipt.ErrCompletion,
		"data: {receipt.json: '{\"format\":1}'}": receipt.ErrFormerFormat,
		"data: {receipt.json: '{\"format\":99}'}":                       receipt.ErrUnknownFormat,
		"data: {receipt.json: '{\"format\":1}', note: x}":               receipt.ErrCompletion,
		"data: {receipt.json: '{\"format\":1}'}\nbinaryData: {a: eA==}": receipt.ErrCompletion,
	} {
		c := CompletionOf(decoded[corev1.ConfigMap](t, head+text))
		if !errors.Is(c.Err, want) || !c.Immutable || !c.Of("g-1") || c.UID != "c-1" {
			t.Errorf("%q: %+v", text, c)
		}
		if a := AuthRecordOf(decoded[corev1.ConfigMap](t, head+text)); !errors.Is(a.Err, receipt.ErrAuth) || a.Deleting {
			t.Errorf("%q: %+v", text, a)
		}
	}
	const auth = `{"format":1,"gateway":{"name":"gw1","uid":"00000000-0000-4000-8000-000000000001","generation":1,"resourceVersion":"1","spec":"0000000000000000000000000000000000000000000000000000000000000000"},` +
		`"tailnet":{"name":"home","uid":"00000000-0000-4000-8000-000000000002","generation":1,"resourceVersion":"1","spec":"0000000000000000000000000000000000000000000000000000000000000000"},` +
		`"secret":{"name":"gw1-auth","uid":"00000000-0000-4000-8000-000000000003","resourceVersion":"1"},"key":{"id":"7","expires":"2026-11-30T12:00:00Z"}}`
	for text, ok := range map[string]bool{auth: true, auth + " ": false} {
		c := decoded[corev1.ConfigMap](t, head)
		c.Data = map[string]string{"receipt.json": text}
		if a := AuthRecordOf(c); (a.Err == nil) != ok || ok && a.Receipt.KeyID != "7" {
			t.Errorf("%q: %+v", text, a)
		}
	}
	c := decoded[corev1.ConfigMap](t, head+"data: {a: b}")
	if r := RegistryOf(c); r.Revision != "1" || r.Data["a"] != "b" {
		t.Errorf("%+v", r)
	}
}
