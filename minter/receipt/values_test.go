package receipt

import (
	"strings"
	"testing"
	"time"
)

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
