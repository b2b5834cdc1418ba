package registry

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"
)

const (
	gatewayUID = "0f6bb1b4-8a1c-4a5c-9d3e-1c1f0c1a2b3c"
	stateUID   = "7a0d9a2e-1b2c-4d3e-8f90-112233445566"
	otherUID   = "11111111-1111-4111-8111-111111111111"
)

var expires = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// stored is an entry of lab-gw as it stands in the ConfigMap.
func stored(phase string, more ...string) map[string]string {
	data := map[string]string{"lab_gw_gateway_uid": gatewayUID, "lab_gw_state_uid": stateUID, "lab_gw_phase": phase}
	for i := 0; i < len(more); i += 2 {
		data[more[i]] = more[i+1]
	}
	return data
}

// neighbours are entries whose keys look alike, and one that is broken: none of
// them is lab-gw's business.
func neighbours() map[string]string {
	return map[string]string{
		"lab_phase": "open", "lab_gw_2_phase": "open", "x_lab_gw_phase": "complete", "lab_gw_state_phase": "open",
		"lab-gw_phase": "open", "lab_gw_gateway_uid_phase": "open", "lab_gw_note": "somebody's",
		"lab_gw_2_gateway_uid": gatewayUID, "broken_state_uid": "x",
	}
}

// REQ: LC-21
func TestEntries(t *testing.T) {
	for _, c := range []struct {
		data  map[string]string
		entry Entry
	}{
		{stored("open"), Entry{gatewayUID, stateUID, Open, time.Time{}}},
		{stored("minting", "lab_gw_mint_expires", "2026-12-01T12:00:00Z"), Entry{gatewayUID, stateUID, Minting, expires}},
		{stored("complete"), Entry{gatewayUID, stateUID, Complete, time.Time{}}},
	} {
		data := neighbours()
		maps.Copy(data, c.data)
		if e, ok, err := Read(data, "lab-gw"); e != c.entry || !ok || err != nil {
			t.Errorf("%s: read %+v %v %v", c.entry.Phase, e, ok, err)
		}
		before := maps.Clone(data)
		if got := Without(data, "lab-gw"); !maps.Equal(got, neighbours()) {
			t.Errorf("%s: without it %v", c.entry.Phase, got)
		}
		if got := With(neighbours(), "lab-gw", c.entry); !maps.Equal(got, data) {
			t.Errorf("%s: written %v, want %v", c.entry.Phase, got, data)
		}
		if !maps.Equal(data, before) {
			t.Errorf("%s: the data were changed in place", c.entry.Phase)
		}
		// A swap leaves nothing of the phase before: no expiry in a complete entry.
		if got := With(data, "lab-gw", Entry{gatewayUID, stateUID, Complete, time.Time{}}); len(got) != len(neighbours())+3 {
			t.Errorf("%s: completed it is %v", c.entry.Phase, got)
		}
	}
	for _, none := range []map[string]string{nil, {}, neighbours()} {
		if e, ok, err := Read(none, "lab-gw"); e != (Entry{}) || ok || err != nil {
			t.Errorf("%v: %+v %v %v", none, e, ok, err)
		}
		if got := Without(none, "lab-gw"); got == nil || len(got) != len(none) {
			t.Errorf("%v: without an entry %v", none, got)
		}
	}
}

// What is no entry is neither taken for one nor for none.
//
// REQ: LC-21
func TestMalformedEntries(t *testing.T) {
	const expiryKey, expiry = "lab_gw_mint_expires", "2026-12-01T12:00:00Z"
	without := func(key string, data map[string]string) map[string]string {
		delete(data, key)
		return data
	}
	for why, data := range map[string]map[string]string{
		"no gateway UID":                 without("lab_gw_gateway_uid", stored("open")),
		"no state UID":                   without("lab_gw_state_uid", stored("open")),
		"no phase":                       without("lab_gw_phase", stored("open")),
		"an expiry alone":                {expiryKey: expiry},
		"an empty phase alone":           {"lab_gw_phase": ""},
		"unknown phase":                  stored("closed"),
		"phase in capitals":              stored("Open"),
		"gateway UID is the placeholder": stored("open", "lab_gw_gateway_uid", "${lab_gw_gateway_uid:=<unbound>}"),
		"state UID is none":              stored("open", "lab_gw_state_uid", "s-1"),
		"UID in capitals":                stored("open", "lab_gw_state_uid", strings.ToUpper(stateUID)),
		"UID with a line end":            stored("open", "lab_gw_state_uid", stateUID+"\n"),
		"one UID twice":                  stored("open", "lab_gw_state_uid", gatewayUID),
		"open with an expiry":            stored("open", expiryKey, expiry),
		"complete with an expiry":        stored("complete", expiryKey, expiry),
		"open with an empty expiry":      stored("open", expiryKey, ""),
		"minting without an expiry":      stored("minting"),
		"minting, expiry of another day": stored("minting", expiryKey, "tomorrow"),
		"minting, year 1":                stored("minting", expiryKey, "0001-01-01T00:00:00Z"),
		"minting, another spelling":      stored("minting", expiryKey, "2026-12-01T13:00:00+01:00"),
		"minting, fractions of a second": stored("minting", expiryKey, "2026-12-01T12:00:00.5Z"),
	} {
		if e, ok, err := Read(data, "lab-gw"); !errors.Is(err, ErrEntry) || ok || e != (Entry{}) {
			t.Errorf("%s: %+v %v %v", why, e, ok, err)
		}
		if got := Without(data, "lab-gw"); len(got) != 0 {
			t.Errorf("%s: removing it leaves %v", why, got)
		}
	}
}

// FuzzRead: what is read as an entry is written again as it was.
//
// REQ: LC-21
func FuzzRead(f *testing.F) {
	f.Add(gatewayUID, stateUID, "minting", "2026-12-01T12:00:00Z")
	f.Add(gatewayUID, otherUID, "open", "-")
	f.Add("", "-", "complete", "")
	f.Fuzz(func(t *testing.T, gateway, state, phase, expires string) {
		data := map[string]string{}
		for key, v := range map[string]string{"g_gateway_uid": gateway, "g_state_uid": state, "g_phase": phase, "g_mint_expires": expires} {
			if v != "-" {
				data[key] = v
			}
		}
		e, ok, err := Read(data, "g")
		switch {
		case err != nil && (ok || len(data) == 0):
			t.Errorf("%v: %v %v", data, ok, err)
		case err == nil && ok != (len(data) > 0):
			t.Errorf("%v: %v", data, ok)
		case ok && !maps.Equal(With(nil, "g", e), data):
			t.Errorf("%v is written as %v", data, With(nil, "g", e))
		}
	})
}
