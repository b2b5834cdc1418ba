package model

import "net/netip"

// Gateway is an admitted TailnetGateway: defaulted, checked, parsed.
type Gateway struct {
	Name            string // DNS-1035, at most MaxGateway characters
	Suspended       bool   // LC-02
	Delete          bool   // deletionPolicy: Delete
	Format          int    // render format (RN-11)
	Tailnet         string
	Hostname        string
	Tags            []string
	LAN             []netip.Prefix
	AdvertiseEgress bool
	LBCIDR          netip.Prefix
	LoadBalancer    netip.Addr
	PoolLabels      []Pair // sorted by key
	DNS             DNS
	Images          Images
	Pod             Pod
}

// DNS is what the gateway serves, before the hosts source is merged in.
type DNS struct {
	Zone        Name
	ServiceName string
	ClusterIP   netip.Addr
	Records     []Record
	ExtraZones  []ExtraZone
}

// Record is a static record set: all addresses of one name, in the user's order.
type Record struct {
	Name      Name // absolute; may be a wildcard
	Addresses []netip.Addr
}

// ExtraZone is a legacy network's zone that is forwarded but for local hosts.
type ExtraZone struct {
	Zone      Name
	Upstreams []netip.Addr
}

// Images are the Pod's images; the preflight uses Tailscale's.
type Images struct {
	Tailscale, CoreDNS Image
}

// Pod holds the user's settings of the Pod (PD-08).
type Pod struct {
	Tailscale, CoreDNS Resources
	Sysctls            []Pair // in the user's order
	Tolerations        []Toleration
	NodeSelector       []Pair // sorted by key
}

// Resources are canonical quantities by resource name, sorted by name.
type Resources struct {
	Requests, Limits []Pair
}

// Pair is one entry of a string map.
type Pair struct {
	Key, Value string
}

// Toleration mirrors the Kubernetes type; Seconds is nil where not set.
type Toleration struct {
	Key, Operator, Value, Effect string
	Seconds                      *int64
}

// Tailnet is an admitted Tailnet, as far as a rendering needs it.
type Tailnet struct {
	Name              string
	OperatorNamespace string
	ControlURL        string
	CABundle          *KeyRef // nil: the image's own roots
	Hosts             KeyRef
	References        map[string][]string // other objects that it names, by kind
}

// KeyRef names a data key of a ConfigMap or Secret of the operator namespace.
type KeyRef struct {
	Name, Key string
}

// Egress is an admitted TailnetEgress that is not being deleted.
type Egress struct {
	Namespace, Name, Tailnet string
	Targets                  []netip.Addr // the literal IPv4 targets (RN-07)
}

// Hosts is the snapshot of a Tailnet's hosts source. The zero value is the empty
// snapshot of a source that is not in the input.
type Hosts struct {
	Object Source
	Text   string
}

// Source tells where a value was read, for findings.
type Source struct {
	Namespace, Name, Key string
}

// Binding is a gateway's entry of the bindings registry (RN-05). The zero value
// is unbound.
type Binding struct {
	GatewayUID, StateUID string
}

// Inputs is everything that one gateway's nine resources are a function of
// (RN-01).
type Inputs struct {
	Gateway  Gateway
	Tailnet  Tailnet
	Hosts    Hosts
	Egresses []Egress // sorted by namespace and name; of whatever namespace
	Binding  Binding
}
