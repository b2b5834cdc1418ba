package receipt

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/registry"
)

// The expiry has passed long ago, and nothing here minds.
var expires = time.Date(2021, 12, 1, 12, 0, 7, 0, time.UTC)

func uid(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

func digestOf(n int) string { return fmt.Sprintf("%064x", n) }

func auth() Auth {
	return Auth{
		Gateway: Scope{"lab-gw", uid(1), 3, "101", digestOf(1)},
		Tailnet: Scope{"home", uid(2), 1, "7", digestOf(2)},
		Secret:  Secret{"lab-gw-auth", uid(3), "205"},
		KeyID:   "18446744073709551615",
		Expires: expires,
	}
}

const authText = `{"format":1,` +
	`"gateway":{"name":"lab-gw","uid":"00000000-0000-4000-8000-000000000001","generation":3,"resourceVersion":"101","spec":"0000000000000000000000000000000000000000000000000000000000000001"},` +
	`"tailnet":{"name":"home","uid":"00000000-0000-4000-8000-000000000002","generation":1,"resourceVersion":"7","spec":"0000000000000000000000000000000000000000000000000000000000000002"},` +
	`"secret":{"name":"lab-gw-auth","uid":"00000000-0000-4000-8000-000000000003","resourceVersion":"205"},` +
	`"key":{"id":"18446744073709551615","expires":"2021-12-01T12:00:07Z"}}`

func completion() Completion {
	c := Completion{
		Rule:         CurrentRule,
		RenderFormat: 1,
		Gateway:      Subject{"lab-gw", uid(1), Identity{"spec.tags": digestOf(1)}},
		Tailnet:      Subject{"home", uid(2), Identity{"spec.controlURL": digestOf(3)}},
		State:        Reference{"lab-gw-state", uid(4)},
		Auth:         Reference{"lab-gw-auth-receipt", uid(5)},
		KeyID:        "7",
		Expires:      expires,
	}
	for i, o := range []Object{ // in the order of creation
		{Kind: "ServiceAccount", Name: "lab-gw"}, {Kind: "Role", Name: "lab-gw"}, {Kind: "RoleBinding", Name: "lab-gw"},
		{Kind: "ConfigMap", Name: "lab-gw-coredns"}, {Kind: "Service", Name: "lab-gw"}, {Kind: "Service", Name: "lab-dns"},
		{Kind: "Service", Name: "lab-gw-lb"}, {Kind: "PodDisruptionBudget", Name: "lab-gw"}, {Kind: "StatefulSet", Name: "lab-gw"},
	} {
		o.UID, o.Digest = uid(10+i), digestOf(10+i)
		c.Objects = append(c.Objects, o)
	}
	return c
}

func objectText(kind, name string, n int) string {
	return fmt.Sprintf(`{"kind":"%s","name":"%s","uid":"%s","digest":"%s"}`, kind, name, uid(n), digestOf(n))
}

var completionText = `{"format":3,"digestRule":2,"renderFormat":1,` +
	`"gateway":{"name":"lab-gw","uid":"00000000-0000-4000-8000-000000000001","identity":{` +
	`"spec.tags":"0000000000000000000000000000000000000000000000000000000000000001"}},` +
	`"tailnet":{"name":"home","uid":"00000000-0000-4000-8000-000000000002","identity":{` +
	`"spec.controlURL":"0000000000000000000000000000000000000000000000000000000000000003"}},` +
	`"state":{"name":"lab-gw-state","uid":"00000000-0000-4000-8000-000000000004"},` +
	`"authReceipt":{"name":"lab-gw-auth-receipt","uid":"00000000-0000-4000-8000-000000000005"},` +
	`"key":{"id":"7","expires":"2021-12-01T12:00:07Z"},"objects":[` +
	strings.Join([]string{
		objectText("ConfigMap", "lab-gw-coredns", 13), objectText("PodDisruptionBudget", "lab-gw", 17),
		objectText("Role", "lab-gw", 11), objectText("RoleBinding", "lab-gw", 12),
		objectText("Service", "lab-dns", 15), objectText("Service", "lab-gw", 14), objectText("Service", "lab-gw-lb", 16),
		objectText("ServiceAccount", "lab-gw", 10), objectText("StatefulSet", "lab-gw", 18),
	}, ",") + `]}`

// The bytes of both receipts are frozen: a newer minter reads what this one wrote.
//
// REQ: MT-03, LC-13, LC-14
func TestBytes(t *testing.T) {
	if got := string(auth().Encode()); got != authText {
		t.Errorf("auth receipt:\n got %s\nwant %s", got, authText)
	}
	if got, err := DecodeAuth([]byte(authText)); got != auth() || err != nil {
		t.Errorf("auth receipt: %+v %v", got, err)
	}
	if got := string(completion().Encode()); got != completionText {
		t.Errorf("completion receipt:\n got %s\nwant %s", got, completionText)
	}
	c, err := DecodeCompletion([]byte(completionText))
	want := completion()
	slices.SortFunc(want.Objects, byKindAndName)
	if err != nil || !reflect.DeepEqual(c, want) {
		t.Errorf("completion receipt: %+v %v", c, err)
	}
	for n, o := range completion().Objects {
		if got, ok := c.Object(o.Kind, o.Name); !ok || got.UID != uid(10+n) || got.Digest != digestOf(10+n) {
			t.Errorf("%s/%s is %+v", o.Kind, o.Name, got)
		}
	}
	for _, none := range [][2]string{{"Service", "lab-gw-coredns"}, {"Secret", "lab-gw"}} {
		if got, ok := c.Object(none[0], none[1]); ok || got != (Object{}) {
			t.Errorf("%s is %+v", none, got)
		}
	}
	if got, want := c.Entry(), (registry.Entry{GatewayUID: uid(1), StateUID: uid(4), Phase: registry.Complete}); got != want {
		t.Errorf("the registry's entry is %+v, want %+v", got, want)
	}
}

// accepted reports whether text is accepted as the kind of receipt, and whether
// the error is the one for what is no receipt.
func accepted(kind, text string) (ok, plain bool) {
	if kind == "auth" {
		_, err := DecodeAuth([]byte(text))
		return err == nil, errors.Is(err, ErrAuth)
	}
	_, err := DecodeCompletion([]byte(text))
	return err == nil, errors.Is(err, ErrCompletion)
}

// Other formats and rules are told apart from what is no receipt.
//
// REQ: LC-17
func TestOtherFormats(t *testing.T) {
	replaced := func(old, text string) string { return strings.Replace(completionText, old, text, 1) }
	for _, c := range []struct {
		text string
		want error
	}{
		{`{"format":1}`, ErrFormerFormat},
		{`{"format":2,"gateway":{"generation":4},"children":[]}`, ErrFormerFormat},
		{replaced(`"format":3`, `"format":2`), ErrFormerFormat},
		{replaced(`"format":3`, `"format":4`), ErrUnknownFormat},
		{`{"format":4,"digestRule":9,"new":true}`, ErrUnknownFormat},
		{replaced(`"digestRule":2`, `"digestRule":3`), ErrUnknownRule},
		{replaced(`"renderFormat":1`, `"renderFormat":1,"new":1`), ErrCompletion},
		{replaced(`"digestRule":2`, `"digestRule":3,"new":1`), ErrUnknownRule},
		{replaced(`"digestRule":2`, `"digestRule":-1`), ErrCompletion},
		{replaced(`"format":3`, `"format":0`), ErrCompletion},
		{replaced(`"format":3`, `"format":-3`), ErrCompletion},
		{replaced(`"format":3`, `"format":"3"`), ErrCompletion},
		{replaced(`"format":3,`, ``), ErrCompletion},
		{replaced(`"format":3`, `"format":2`) + "x", ErrCompletion},
	} {
		if _, err := DecodeCompletion([]byte(c.text)); err != c.want {
			t.Errorf("%.60s…: %v, want %v", c.text, err, c.want)
		}
	}
	// The older rule has the schema of today.
	c, err := DecodeCompletion([]byte(replaced(`"digestRule":2`, `"digestRule":1`)))
	if err != nil || c.Rule != RuleV010 || c.Rule == CurrentRule {
		t.Errorf("a receipt of v0.10.0's rule: %v %v", c.Rule, err)
	}
	for _, text := range []string{authText, replaced(`"format":3`, `"format":1`)} {
		if ok, _ := accepted("auth", strings.Replace(text, `"format":1`, `"format":2`, 1)); ok {
			t.Error("an auth receipt of another format is accepted")
		}
	}
}

// REQ: MT-07
func TestKeeps(t *testing.T) {
	a := auth()
	if !a.Keeps(Secret{"lab-gw-auth", uid(3), "205"}) {
		t.Error("the Secret is as it was created")
	}
	for _, other := range []Secret{{"lab-gw-auth", uid(4), "205"}, {"lab-gw-auth", uid(3), "206"}, {"other", uid(3), "205"}, {}} {
		if a.Keeps(other) {
			t.Errorf("%+v is kept", other)
		}
	}
}

// REQ: LC-13, LC-14
func TestRestsOn(t *testing.T) {
	a, ref := auth(), Reference{"lab-gw-auth-receipt", uid(5)}
	c := completion()
	c.KeyID = a.KeyID
	later := a
	later.Gateway.Generation, later.Gateway.Spec, later.Gateway.Revision = 9, digestOf(9), "999"
	for _, a := range []Auth{a, later} {
		if !c.RestsOn(ref, a) {
			t.Errorf("it rests on %+v", a)
		}
	}
	for why, edit := range map[string]func(*Auth, *Reference){
		"receipt's UID":  func(_ *Auth, r *Reference) { r.UID = uid(6) },
		"receipt's name": func(_ *Auth, r *Reference) { r.Name = "other" },
		"key":            func(a *Auth, _ *Reference) { a.KeyID = "8" },
		"expiry":         func(a *Auth, _ *Reference) { a.Expires = a.Expires.Add(time.Second) },
		"gateway's UID":  func(a *Auth, _ *Reference) { a.Gateway.UID = uid(9) },
		"gateway's name": func(a *Auth, _ *Reference) { a.Gateway.Name = "other" },
		"Tailnet's UID":  func(a *Auth, _ *Reference) { a.Tailnet.UID = uid(9) },
		"Tailnet's name": func(a *Auth, _ *Reference) { a.Tailnet.Name = "other" },
	} {
		a, ref := a, ref
		edit(&a, &ref)
		if c.RestsOn(ref, a) {
			t.Errorf("another %s, and it still rests on it", why)
		}
	}
}

// FuzzDecode: whatever is accepted is written again byte for byte, and is never
// accepted as both kinds.
//
// REQ: MT-03, LC-13
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{authText, completionText, `{"format":2}`, `{"format":3,"digestRule":7}`, "null", "[]", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		a, errAuth := DecodeAuth(data)
		if errAuth == nil && !bytes.Equal(a.Encode(), data) {
			t.Errorf("%q is written as %q", data, a.Encode())
		}
		c, errCompletion := DecodeCompletion(data)
		if errCompletion == nil && !bytes.Equal(c.Encode(), data) {
			t.Errorf("%q is written as %q", data, c.Encode())
		}
		if errAuth == nil && errCompletion == nil {
			t.Errorf("%q is both", data)
		}
		for _, err := range []error{errAuth, errCompletion} {
			if err != nil && !slices.Contains([]error{ErrAuth, ErrCompletion, ErrFormerFormat, ErrUnknownFormat, ErrUnknownRule}, err) {
				t.Errorf("the error is %v", err)
			}
		}
	})
}
