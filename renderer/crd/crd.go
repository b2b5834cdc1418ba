// Package crd embeds the CustomResourceDefinitions that are generated from the
// types of package v1alpha1. `kubectl apply -k renderer/crd` installs them.
package crd

import _ "embed"

// The definitions, each one YAML document.
var (
	//go:embed tsunaro.io_tailnets.yaml
	Tailnets []byte
	//go:embed tsunaro.io_tailnetgateways.yaml
	TailnetGateways []byte
	//go:embed tsunaro.io_tailnetegresses.yaml
	TailnetEgresses []byte
)

// All returns the three definitions, in the order in which to apply them.
func All() [][]byte { return [][]byte{Tailnets, TailnetGateways, TailnetEgresses} }
