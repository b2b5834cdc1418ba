package proof

import (
	"crypto/ecdh"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"

	"tsunaro.io/gateway/minter/node"
)

// Keys are the public halves of a node's keys, in Headscale's spelling.
type Keys struct {
	Machine string // mkey: and 64 hexadecimal digits
	Node    string // nodekey: and 64 hexadecimal digits
}

// State is what GW-state proves.
type State struct {
	Keys
	Device node.ID // Headscale's ID of the node as Tailscale recorded it; "" if it has not
}

// ErrState means that the Secret holds no identity that can be read.
var ErrState = errors.New("the state Secret holds no identity of a node")

// Data keys of GW-state, as Tailscale writes them.
const (
	dataMachineKey = "_machinekey"
	dataCurrent    = "_current-profile" // the data key of the profile in use
	dataDevice     = "device_id"
)

// profile is the part of a profile that proves something.
type profile struct {
	Config struct{ PrivateNodeKey string }
}

// Read derives the public keys from the data of GW-state. The error is ErrState,
// which holds nothing of the data.
func Read(data map[string][]byte) (State, error) {
	machine, ok := public(string(data[dataMachineKey]))
	if !ok {
		return State{}, ErrState
	}
	current, ok := data[string(data[dataCurrent])]
	var p profile
	if !ok || json.Unmarshal(current, &p) != nil {
		return State{}, ErrState
	}
	own, ok := public(p.Config.PrivateNodeKey)
	if !ok {
		return State{}, ErrState
	}
	s := State{Keys: Keys{Machine: "mkey:" + machine, Node: "nodekey:" + own}}
	s.Device, _ = node.ParseID(string(data[dataDevice]))
	return s, nil
}

// public derives the hexadecimal public key of a private one, which is written
// privkey: and 64 hexadecimal digits. All zeros is how Tailscale writes none.
func public(text string) (string, bool) {
	digits, ok := strings.CutPrefix(text, "privkey:")
	if !ok || digits == "" || strings.Trim(digits, "0") == "" {
		return "", false
	}
	private, err := hex.DecodeString(digits)
	if err != nil {
		return "", false
	}
	key, err := ecdh.X25519().NewPrivateKey(private)
	if err != nil { // not 32 bytes
		return "", false
	}
	return hex.EncodeToString(key.PublicKey().Bytes()), true
}
