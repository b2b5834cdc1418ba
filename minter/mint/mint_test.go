package mint

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/sealed"
)

const canary = "hskey-auth-CANARY-1"

var (
	now     = time.Date(2026, 11, 30, 13, 0, 7, 999_999_999, time.FixedZone("", 3600))
	expires = time.Date(2026, 12, 1, 12, 0, 7, 0, time.UTC)
)

// REQ: MT-01
func TestRequest(t *testing.T) {
	tags := []string{"tag:gw-b", "tag:gw-a"}
	r := New(tags, now)
	if !r.Reusable || r.Ephemeral || !slices.Equal(r.Tags, tags) || r.Expiration != expires {
		t.Errorf("%+v, want a reusable, non-ephemeral one until %v", r, expires)
	}
	if again := Until(tags, expires); !again.Reusable || again.Ephemeral || !slices.Equal(again.Tags, tags) || again.Expiration != expires {
		t.Errorf("from the registry %+v", again)
	}
	tags[0] = "tag:other"
	if r.Tags[0] != "tag:gw-b" {
		t.Error("the request shares its tags with the caller")
	}
}

// answer is the right answer to request, but for what edit changes.
func answer(edit func(*node.Key)) node.Key {
	k := node.Key{ID: "7", Reusable: true, Tags: []string{"tag:gw-a", "tag:gw-b"}, Expiration: expires}
	if edit != nil {
		edit(&k)
	}
	return k
}

func request() Request { return New([]string{"tag:gw-b", "tag:gw-a"}, now) }

// Case B19, and what it leaves open. Headscale sorts tags and drops duplicates.
//
// REQ: MT-01
func TestB19Accepted(t *testing.T) {
	twice := New([]string{"tag:gw-b", "tag:gw-a", "tag:gw-b"}, now)
	for _, key := range []string{"x", "!", "~"} {
		if m, err := Check(request(), answer(nil), sealed.New(key)); err != nil || string(m.Bytes.Open()) != key {
			t.Errorf("the key %s: %v", key, err)
		}
	}
	for why, c := range map[string]struct {
		request Request
		answer  node.Key
	}{
		"as asked for":                {request(), answer(nil)},
		"tags in another order":       {request(), answer(func(k *node.Key) { slices.Reverse(k.Tags) })},
		"a tag that was given twice":  {twice, answer(nil)},
		"the largest ID":              {request(), answer(func(k *node.Key) { k.ID = "18446744073709551615" })},
		"the time in another zone":    {request(), answer(func(k *node.Key) { k.Expiration = expires.In(time.FixedZone("", -3600)) })},
		"the expiry the registry has": {Until([]string{"tag:gw-b", "tag:gw-a"}, expires), answer(nil)},
	} {
		m, err := Check(c.request, c.answer, sealed.New(canary))
		if err != nil || m.ID != c.answer.ID || m.Expiration != expires || string(m.Bytes.Open()) != canary {
			t.Errorf("%s: %v %v", why, m, err)
		}
	}
}

// REQ: MT-01
func TestB19Refused(t *testing.T) {
	id := func(id node.ID) func(*node.Key) { return func(k *node.Key) { k.ID = id } }
	expiry := func(at time.Time) func(*node.Key) { return func(k *node.Key) { k.Expiration = at } }
	tags := func(tags ...string) func(*node.Key) { return func(k *node.Key) { k.Tags = tags } }
	for _, c := range []struct {
		why  string
		edit func(*node.Key)
		want Reason
	}{
		{"expiry in year 1, null or left out", expiry(time.Time{}), OtherExpiry},
		{"expiry a second later", expiry(expires.Add(time.Second)), OtherExpiry},
		{"expiry a second earlier", expiry(expires.Add(-time.Second)), OtherExpiry},
		{"expiry a fraction later", expiry(expires.Add(1)), OtherExpiry},
		{"leading zeros", id("007"), BadID},
		{"zero", id("0"), BadID},
		{"over 64 bits", id("18446744073709551616"), BadID},
		{"no ID", id(""), BadID},
		{"no number", id("7a"), BadID},
		{"not reusable", func(k *node.Key) { k.Reusable = false }, NotReusable},
		{"ephemeral", func(k *node.Key) { k.Ephemeral = true }, Ephemeral},
		{"a tag is missing", tags("tag:gw-a"), OtherTags},
		{"a tag too many", tags("tag:gw-a", "tag:gw-b", "tag:other"), OtherTags},
		{"another tag", tags("tag:gw-a", "tag:other"), OtherTags},
		{"no tags", tags(), OtherTags},
	} {
		refused(t, c.why, c.want, request(), answer(c.edit), canary)
	}
	for _, key := range []string{"", " ", canary + "\n", canary + " x", canary + "\x00", canary + "\x7f", canary + "é"} {
		refused(t, "the key "+strings.ToUpper(key), BadKey, request(), answer(nil), key)
	}
	// A zero expiry is none, whatever was asked for.
	refused(t, "no expiry asked for", OtherExpiry, Until([]string{"tag:gw-a", "tag:gw-b"}, time.Time{}), answer(expiry(time.Time{})), canary)
}

func refused(t *testing.T, why string, want Reason, r Request, k node.Key, key string) {
	t.Helper()
	m, err := Check(r, k, sealed.New(key))
	var got Reason
	if !errors.As(err, &got) || got != want || !m.Bytes.Empty() || m.ID != "" {
		t.Errorf("%s: %v %v, want %q", why, m, err, want)
	}
	if err != nil && strings.Contains(err.Error(), "CANARY") {
		t.Errorf("%s: the text shows the key: %v", why, err)
	}
}

// REQ: MT-02
func TestConfirm(t *testing.T) {
	minted := Minted{"7", expires, sealed.New(canary)}
	right := Stored{UID: "u-1", Revision: "42", Immutable: true, Bytes: sealed.New(canary), ID: "7", Expires: "2026-12-01T12:00:07Z"}
	if ref, err := minted.Confirm("gw-auth", right); err != nil || ref != (receipt.Secret{Name: "gw-auth", UID: "u-1", Revision: "42"}) {
		t.Errorf("%+v %v", ref, err)
	}
	for _, c := range []struct {
		edit func(*Stored)
		want Reason
	}{
		{func(s *Stored) { s.UID = "" }, NoRevision},
		{func(s *Stored) { s.Revision = "" }, NoRevision},
		{func(s *Stored) { s.Immutable = false }, Changeable},
		{func(s *Stored) { s.ID = "8" }, OtherID},
		{func(s *Stored) { s.ID = "07" }, OtherID},
		{func(s *Stored) { s.ID = "" }, OtherID},
		{func(s *Stored) { s.Expires = "2026-12-01T12:00:08Z" }, OtherExpiry},
		{func(s *Stored) { s.Expires = "2026-12-01T13:00:07+01:00" }, OtherExpiry},
		{func(s *Stored) { s.Expires = "" }, OtherExpiry},
		{func(s *Stored) { s.Bytes = sealed.New(canary + "x") }, OtherBytes},
		{func(s *Stored) { s.Bytes = sealed.Bytes{} }, OtherBytes},
	} {
		s := right
		c.edit(&s)
		ref, err := minted.Confirm("gw-auth", s)
		var got Reason
		if !errors.As(err, &got) || got != c.want || ref != (receipt.Secret{}) || strings.Contains(err.Error(), "CANARY") {
			t.Errorf("%+v: %v, want %q", s, err, c.want)
		}
	}
	// Nothing minted confirms nothing.
	if _, err := (Minted{ID: "7", Expiration: expires}).Confirm("gw-auth", Stored{"u", "1", true, sealed.Bytes{}, "7", right.Expires}); err != OtherBytes {
		t.Errorf("an empty key: %v", err)
	}
}

// Every reason says something of its own.
func TestReasonTexts(t *testing.T) {
	seen := map[string]bool{}
	for r := BadID; r <= OtherBytes; r++ {
		if text := r.Error(); text == "" || seen[text] {
			t.Errorf("reason %d says %q", r, text)
		}
		seen[r.Error()] = true
	}
}
