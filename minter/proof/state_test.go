package proof

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Key pairs of RFC 7748, section 6.1.
const (
	alice       = "77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"
	alicePublic = "8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"
	bob         = "5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"
	bobPublic   = "de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"
)

var zeros = strings.Repeat("0", 64)

// state is GW-state as Tailscale 1.102.4 fills it, Alice's machine with Bob's
// node key, and another profile that is not in use.
func state() map[string][]byte {
	profile := func(key string) []byte {
		return fmt.Appendf(nil, `{"ControlURL":"https://headscale.example","RouteAll":false,"Hostname":"lab-gw",`+
			`"Config":{"PrivateNodeKey":"privkey:%s","OldPrivateNodeKey":"privkey:%s","UserProfile":{"ID":1},"NetworkLockKey":"nlpriv:%s","NodeID":"7"}}`,
			key, zeros, alice)
	}
	return map[string][]byte{
		"_machinekey":        []byte("privkey:" + alice),
		"_current-profile":   []byte("profile-5a31"),
		"_profiles":          []byte(`{"5a31":{"ID":"5a31","Key":"profile-5a31","NodeID":"7"}}`),
		"profile-5a31":       profile(bob),
		"profile-0000":       profile(alice),
		"device_id":          []byte("7"),
		"device_fqdn":        []byte("lab-gw.tailnet.example."),
		"device_ips":         []byte(`["100.64.0.7"]`),
		"pod_uid":            []byte(""),
		"tailscale_capver":   []byte("130"),
		"something-not-ours": []byte("x"),
	}
}

// REQ: MT-05
func TestRead(t *testing.T) {
	want := State{Keys{"mkey:" + alicePublic, "nodekey:" + bobPublic}, "7"}
	if got, err := Read(state()); got != want || err != nil {
		t.Errorf("%+v %v, want %+v", got, err, want)
	}
	for _, device := range []string{"", "007", "n7", "7\n"} {
		data := state()
		data["device_id"] = []byte(device)
		if got, err := Read(data); got.Keys != want.Keys || got.Device != "" || err != nil {
			t.Errorf("device %q: %+v %v", device, got, err)
		}
	}
	data := state()
	delete(data, "device_id")
	if got, err := Read(data); got.Keys != want.Keys || got.Device != "" || err != nil {
		t.Errorf("without a device: %+v %v", got, err)
	}
}

// What is no identity gives none, and an error that shows nothing.
//
// REQ: MT-05
func TestNoState(t *testing.T) {
	set := func(key, value string) func(map[string][]byte) {
		return func(d map[string][]byte) { d[key] = []byte(value) }
	}
	drop := func(key string) func(map[string][]byte) {
		return func(d map[string][]byte) { delete(d, key) }
	}
	profile := func(text string) func(map[string][]byte) { return set("profile-5a31", text) }
	for why, edit := range map[string]func(map[string][]byte){
		"no data":               func(d map[string][]byte) { clear(d) },
		"no machine key":        drop("_machinekey"),
		"machine key empty":     set("_machinekey", ""),
		"machine key zero":      set("_machinekey", "privkey:"+zeros),
		"machine key bare":      set("_machinekey", alice),
		"machine key public":    set("_machinekey", "mkey:"+alicePublic),
		"machine key short":     set("_machinekey", "privkey:"+alice[2:]),
		"machine key odd":       set("_machinekey", "privkey:"+alice[1:]),
		"machine key long":      set("_machinekey", "privkey:"+alice+"00"),
		"machine key no hex":    set("_machinekey", "privkey:"+"zz"+alice[2:]),
		"machine key no digits": set("_machinekey", "privkey:"),
		"no profile in use":     drop("_current-profile"),
		"profile in use empty":  set("_current-profile", ""),
		"profile in use gone":   drop("profile-5a31"),
		"another one in use":    set("_current-profile", "profile-ffff"),
		"profile no JSON":       profile("{"),
		"profile empty":         profile(""),
		"profile null":          profile("null"),
		"profile a list":        profile("[]"),
		"no Config":             profile("{}"),
		"Config null":           profile(`{"Config":null}`),
		"Config text":           profile(`{"Config":"x"}`),
		"no node key":           profile(`{"Config":{}}`),
		"node key zero":         profile(`{"Config":{"PrivateNodeKey":"privkey:` + zeros + `"}}`),
		"node key a number":     profile(`{"Config":{"PrivateNodeKey":7}}`),
		"node key public":       profile(`{"Config":{"PrivateNodeKey":"nodekey:` + bobPublic + `"}}`),
	} {
		data := state()
		edit(data)
		got, err := Read(data)
		if !errors.Is(err, ErrState) || err.Error() != ErrState.Error() || got != (State{}) {
			t.Errorf("%s: %+v %v", why, got, err)
		}
	}
}

// Case B26: only the first two of its Secrets are empty; nothing else is minted on.
//
// REQ: LC-08, LC-22
func TestContent(t *testing.T) {
	for _, c := range []struct {
		why    string
		secret Secret
		want   Content
	}{
		{"no data", Secret{}, Empty},
		{"empty data", Secret{Keys: []string{}}, Empty},
		{"somebody's key", Secret{Keys: []string{"authkey"}}, Foreign},
		{"a machine key", Secret{Keys: []string{"_machinekey"}}, Filled},
		{"immutable", Secret{Immutable: true}, Foreign},
		{"on its way out", Secret{Deleting: true}, Foreign},
		{"all that Tailscale writes", Secret{Keys: slices.Sorted(maps.Keys(state()))}, Filled},
		{"filled and immutable", Secret{Keys: []string{"_machinekey"}, Immutable: true}, Foreign},
		{"filled and on its way out", Secret{Keys: []string{"_machinekey"}, Deleting: true}, Foreign},
		{"a profile", Secret{Keys: []string{"profile-5a31"}}, Filled},
		{"a container has started", Secret{Keys: []string{"tailscale_capver"}}, Filled},
		{"a device", Secret{Keys: []string{"device_id"}}, Filled},
		{"its name", Secret{Keys: []string{"device_fqdn"}}, Filled},
		{"its addresses", Secret{Keys: []string{"device_ips"}}, Filled},
		{"its Pod", Secret{Keys: []string{"pod_uid"}}, Filled},
		{"keys that look alike", Secret{Keys: []string{"device", "profile", "machinekey"}}, Foreign},
	} {
		if got := ContentOf(c.secret); got != c.want {
			t.Errorf("%s: %d, want %d", c.why, got, c.want)
		}
	}
}

// FuzzRead: no panic, an error that shows nothing, and public keys in their
// spelling.
//
// REQ: MT-05
func FuzzRead(f *testing.F) {
	good := state()
	f.Add(good["_machinekey"], good["_current-profile"], good["profile-5a31"])
	f.Add([]byte("privkey:"+zeros), []byte("_machinekey"), []byte(`{"Config":{}}`))
	f.Fuzz(func(t *testing.T, machine, current, profile []byte) {
		s, err := Read(map[string][]byte{"_machinekey": machine, "_current-profile": current, string(current): profile})
		switch {
		case err != nil && (err.Error() != ErrState.Error() || s != (State{})):
			t.Errorf("%+v %v", s, err)
		case err == nil && (len(s.Machine) != len("mkey:")+64 || len(s.Node) != len("nodekey:")+64):
			t.Errorf("%+v", s)
		}
	})
}
