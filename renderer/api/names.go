package api

import "strings"

// The API group, its version and its kinds.
const (
	Group      = "tsunaro.io"
	Version    = "v1alpha1"
	APIVersion = Group + "/" + Version

	KindTailnet        = "Tailnet"
	KindTailnetGateway = "TailnetGateway"
	KindTailnetEgress  = "TailnetEgress"
)

// The function configuration of the KRM function.
const (
	RenderAPIVersion = "render.tsunaro.io/v1alpha1"
	KindRender       = "GatewayRender"
)

// RenderFormat is the newest render format (RN-11). A TailnetGateway without
// spec.renderFormat means format 1 for ever.
const RenderFormat = 1

// Names of objects that exist once per operator namespace.
const (
	DefaultOperatorNamespace = "tsunaro-system"
	BindingsName             = "tsunaro-bindings"
	MinterName               = "tsunaro-minter"
)

// DefaultHostsName and DefaultHostsKey are where a Tailnet that names no hosts
// source has it (DL-08).
const (
	DefaultHostsName = "tailnet-dns-hosts"
	DefaultHostsKey  = "hosts"
)

// Where a Tailnet that does not say so has its bootstrap key, and the key of its CA
// bundle.
const (
	DefaultBootstrapName = "headscale-bootstrap"
	DefaultBootstrapKey  = "apikey"
	DefaultCAKey         = "ca.crt"
)

// StateSecretName is the Secret that Tailscale keeps its identity in.
func StateSecretName(gateway string) string { return gateway + "-state" }

// AuthSecretName is the Secret that holds the minted pre-auth key.
func AuthSecretName(gateway string) string { return gateway + "-auth" }

// AuthReceiptName is the ConfigMap that records the minted key and its Secret
// (MT-03).
func AuthReceiptName(gateway string) string { return gateway + "-auth-receipt" }

// FreshName is the ConfigMap with the completion receipt (LC-13).
func FreshName(gateway string) string { return gateway + "-fresh" }

// FreshNextName is the ConfigMap in which a completion receipt waits while
// FreshName is made anew (LC-17).
func FreshNextName(gateway string) string { return gateway + "-fresh-next" }

// WorkingKeySecretName is the Secret that holds the API key which the minter made
// for itself (MT-06).
func WorkingKeySecretName(tailnet string) string { return tailnet + "-apikey" }

// LBServiceName is the LoadBalancer Service.
func LBServiceName(gateway string) string { return gateway + "-lb" }

// CoreDNSName is the ConfigMap with Corefile and zone.
func CoreDNSName(gateway string) string { return gateway + "-coredns" }

// AuthSecretKey is the data key of the pre-auth key in the auth Secret.
const AuthSecretKey = "authkey"

// WorkingKeySecretKey is the data key of the API key in the working key's Secret.
const WorkingKeySecretKey = "apikey"

// DataReceipt is the data key of a receipt in its ConfigMap.
const DataReceipt = "receipt.json"

// Fields of a gateway's entry in the bindings registry (LC-21).
const (
	BindingGatewayUID  = "gateway_uid"
	BindingStateUID    = "state_uid"
	BindingPhase       = "phase"
	BindingMintExpires = "mint_expires" // only in PhaseMinting: the expiry that is asked for
)

// Values of BindingPhase, in their order.
const (
	PhaseOpen     = "open"     // the nine may be created
	PhaseMinting  = "minting"  // they are verified, and a key may exist
	PhaseComplete = "complete" // the completion receipt exists
)

// BindingKey is the registry's data key for a field of a gateway's entry. A
// gateway's name holds no '_', so distinct gateways have distinct keys.
func BindingKey(gateway, field string) string {
	return strings.ReplaceAll(gateway, "-", "_") + "_" + field
}

// Placeholder stands where a UID belongs until a binder replaces it: Flux reads
// it as a variable with a default, and no API server takes it for a label value
// (architecture, "Binding").
func Placeholder(gateway, field string) string {
	return "${" + BindingKey(gateway, field) + ":=<unbound>}"
}
