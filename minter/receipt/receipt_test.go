package receipt

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

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

// sorted is the text as most programs would write it.
func sorted(t *testing.T, text string) string {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	return string(encode(v))
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

// mutants are texts that differ from a receipt in one place of its structure, and
// in nothing else: every field left out, null, given twice, in capitals or behind
// a new one, every element of a list null or left out.
func mutants(t *testing.T, text string) map[string]string {
	t.Helper()
	var document yaml.Node // JSON is YAML, and a node keeps the order
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	root := document.Content[0]
	if written(root) != text {
		t.Fatalf("%s is not %s", written(root), text)
	}
	out := map[string]string{}
	null := &yaml.Node{Kind: yaml.ScalarNode, Value: "null", Tag: "!!null"}
	var walk func(path string, n *yaml.Node)
	walk = func(path string, n *yaml.Node) {
		kept, size := slices.Clone(n.Content), 1
		try := func(why string, content []*yaml.Node) {
			n.Content = content
			out[path+" "+why] = written(root)
			n.Content = slices.Clone(kept)
		}
		if n.Kind == yaml.MappingNode {
			size = 2
		}
		for i := 0; i < len(kept); i += size {
			last := i + size - 1
			at := fmt.Sprintf("%s[%d]", path, i)
			try(at+" left out", slices.Delete(slices.Clone(kept), i, last+1))
			try(at+" null", slices.Replace(slices.Clone(kept), last, last+1, null))
			if size == 2 {
				upper := *kept[i]
				upper.Value = strings.ToUpper(upper.Value)
				extra := upper
				extra.Value = "extra"
				try(at+" in capitals", slices.Replace(slices.Clone(kept), i, i+1, &upper))
				try(at+" twice", slices.Insert(slices.Clone(kept), i, kept[i], kept[last]))
				try(at+" behind another", slices.Insert(slices.Clone(kept), i, &extra, kept[last]))
			}
			walk(at, kept[last])
		}
	}
	walk("", root)
	return out
}

// written is a node as JSON.
func written(n *yaml.Node) string {
	var parts []string
	switch n.Kind {
	case yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			parts = append(parts, written(n.Content[i])+":"+written(n.Content[i+1]))
		}
		return "{" + strings.Join(parts, ",") + "}"
	case yaml.SequenceNode:
		for _, c := range n.Content {
			parts = append(parts, written(c))
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	if n.Tag == "!!str" {
		return `"` + n.Value + `"`
	}
	return n.Value
}

// The schema is closed, and has one spelling.
//
// REQ: MT-03, LC-13
func TestClosed(t *testing.T) {
	for kind, text := range map[string]string{"auth": authText, "completion": completionText} {
		refused := mutants(t, text)
		if len(refused) < 80 {
			t.Fatalf("%d texts, want at least 80", len(refused))
		}
		for why, other := range map[string]string{
			"empty": "", "null": "null", "a list": "[]", "empty object": "{}", "no JSON": text[:len(text)-1],
			"line end": text + "\n", "blank before": " " + text, "two of them": text + text, "something behind": text + "x",
			"sorted by key": sorted(t, text),
			"a blank":       strings.Replace(text, `"key":`, `"key": `, 1), "byte order mark": "\ufeff" + text,
			"field twice": strings.Replace(text, `"key":`, `"key":{"id":"7","expires":"2021-12-01T12:00:07Z"},"key":`, 1),
			"escaped":     strings.Replace(text, `"lab-gw"`, `"lab\u002dgw"`, 1),
			"no UTF-8":    strings.Replace(text, `"lab-gw"`, "\"lab\xff\"", 1),
			"a number":    strings.Replace(strings.Replace(text, `"id":"7"`, `"id":7`, 1), `"id":"18446744073709551615"`, `"id":18446744073709551615`, 1),
			"1e0":         strings.Replace(strings.Replace(text, `"generation":1`, `"generation":1e0`, 1), `"renderFormat":1`, `"renderFormat":1e0`, 1),
		} {
			if other == text {
				t.Fatalf("%s, %s: nothing was changed", kind, why)
			}
			refused[why] = other
		}
		for why, other := range refused {
			if ok, plain := accepted(kind, other); ok || !plain {
				t.Errorf("%s receipt, %s: accepted: %v, refused as none: %v\n%s", kind, why, ok, plain, other)
			}
		}
	}
}

// Values that no minter writes.
//
// REQ: MT-03, LC-13
func TestValues(t *testing.T) {
	for _, edit := range []func(*Auth){
		func(a *Auth) { a.Gateway.Name = "" },
		func(a *Auth) { a.Gateway.Name = "Lab" },
		func(a *Auth) { a.Gateway.UID = "u-1" },
		func(a *Auth) { a.Gateway.Generation = 0 },
		func(a *Auth) { a.Gateway.Generation = -1 },
		func(a *Auth) { a.Gateway.Revision = "" },
		func(a *Auth) { a.Gateway.Spec = digestOf(1)[1:] },
		func(a *Auth) { a.Gateway.Spec = strings.Repeat("A", 64) },
		func(a *Auth) { a.Gateway.Spec = strings.Repeat("x", 64) },
		func(a *Auth) { a.Tailnet.UID = strings.ToUpper("aaaaaaaa-0000-4000-8000-000000000001") },
		func(a *Auth) { a.Secret.Name = "" },
		func(a *Auth) { a.Secret.UID = "" },
		func(a *Auth) { a.Secret.Revision = "" },
		func(a *Auth) { a.KeyID = "007" },
		func(a *Auth) { a.KeyID = "" },
		func(a *Auth) { a.Expires = time.Time{} },
	} {
		a := auth()
		edit(&a)
		if ok, plain := accepted("auth", string(a.Encode())); ok || !plain {
			t.Errorf("%+v: accepted: %v", a, ok)
		}
	}
	object := func(edit func(o *Object)) func(*Completion) { return func(c *Completion) { edit(&c.Objects[0]) } }
	for why, edit := range map[string]func(*Completion){
		"rule 0":            func(c *Completion) { c.Rule = 0 },
		"render format 0":   func(c *Completion) { c.RenderFormat = 0 },
		"gateway's name":    func(c *Completion) { c.Gateway.Name = "" },
		"gateway's UID":     func(c *Completion) { c.Gateway.UID = "x" },
		"Tailnet's UID":     func(c *Completion) { c.Tailnet.UID = "" },
		"no identity":       func(c *Completion) { c.Gateway.Identity = Identity{} },
		"nil identity":      func(c *Completion) { c.Tailnet.Identity = nil },
		"mutable field":     func(c *Completion) { c.Gateway.Identity["spec.suspend"] = digestOf(9) },
		"pinned field":      func(c *Completion) { c.Gateway.Identity["spec.pod.nodeSelector"] = digestOf(9) },
		"unknown field":     func(c *Completion) { c.Gateway.Identity["spec.color"] = digestOf(9) },
		"gateway's field":   func(c *Completion) { c.Tailnet.Identity["spec.tags"] = digestOf(9) },
		"no hash":           func(c *Completion) { c.Gateway.Identity["spec.tags"] = "tag:gw" },
		"state's UID":       func(c *Completion) { c.State.UID = "x" },
		"state's name":      func(c *Completion) { c.State.Name = "" },
		"auth's UID":        func(c *Completion) { c.Auth.UID = "" },
		"auth's name":       func(c *Completion) { c.Auth.Name = "/" },
		"key ID":            func(c *Completion) { c.KeyID = "0" },
		"no expiry":         func(c *Completion) { c.Expires = time.Time{} },
		"eight objects":     func(c *Completion) { c.Objects = c.Objects[1:] },
		"no objects":        func(c *Completion) { c.Objects = nil },
		"ten objects":       func(c *Completion) { c.Objects = append(c.Objects, Object{"Service", "x", uid(90), digestOf(1)}) },
		"another kind":      object(func(o *Object) { o.Kind = "Secret" }),
		"two StatefulSets":  object(func(o *Object) { o.Kind, o.Name = "StatefulSet", "x" }),
		"object's name":     object(func(o *Object) { o.Name = "" }),
		"object's UID":      object(func(o *Object) { o.UID = "x" }),
		"object's digest":   object(func(o *Object) { o.Digest = "" }),
		"a Service twice":   func(c *Completion) { c.Objects[4].Name = "lab-gw-lb" },
		"an object's UID":   object(func(o *Object) { o.UID = uid(11) }),
		"the gateway's UID": object(func(o *Object) { o.UID = uid(1) }),
		"the Tailnet's UID": func(c *Completion) { c.Gateway.UID = uid(2) },
		"the state's UID":   func(c *Completion) { c.Auth.UID = uid(4) },
	} {
		c := completion()
		edit(&c)
		if ok, plain := accepted("completion", string(c.Encode())); ok || !plain {
			t.Errorf("%s: accepted: %v\n%s", why, ok, c.Encode())
		}
	}
	// Objects out of order are in order once they are written, and refused if not.
	swapped := strings.Replace(strings.Replace(completionText, `"name":"lab-dns"`, `"name":"zz"`, 1), `"name":"lab-gw-lb"`, `"name":"aa"`, 1)
	if ok, _ := accepted("completion", swapped); ok {
		t.Error("Services that are not in order are accepted")
	}
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
