package api

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

// StateSecretName is the Secret that Tailscale keeps its identity in.
func StateSecretName(gateway string) string { return gateway + "-state" }

// AuthSecretName is the Secret that holds the minted pre-auth key.
func AuthSecretName(gateway string) string { return gateway + "-auth" }

// LBServiceName is the LoadBalancer Service.
func LBServiceName(gateway string) string { return gateway + "-lb" }

// CoreDNSName is the ConfigMap with Corefile and zone.
func CoreDNSName(gateway string) string { return gateway + "-coredns" }

// AuthSecretKey is the data key of the pre-auth key in the auth Secret.
const AuthSecretKey = "authkey"
