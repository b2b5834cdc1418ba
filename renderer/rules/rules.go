package rules

// ID names a rule. It is stable: users and pipelines may match on it.
type ID string

// Rule is one row of the table.
type Rule struct {
	ID   ID
	Text string // what is wrong and what to write instead; never holds a user's value
	Req  string // the requirement it implements
	Warn bool   // reported, but not refused
}

// What a document must be before its fields can be looked at.
const (
	Syntax          ID = "syntax"
	DuplicateKey    ID = "duplicate-key"
	NotAnObject     ID = "not-an-object"
	NestedList      ID = "nested-list"
	APIVersion      ID = "api-version"
	UnknownKind     ID = "unknown-kind"
	FunctionConfig  ID = "function-config"
	BareConfig      ID = "bare-config"
	Emit            ID = "emit"
	GeneratorInputs ID = "generator-inputs"
	InputFile       ID = "input-file"
	NoGateway       ID = "no-gateway"
	UnknownField    ID = "unknown-field"
	Required        ID = "required"
	StringType      ID = "string-type"
	BooleanType     ID = "boolean-type"
	IntegerType     ID = "integer-type"
	ListType        ID = "list-type"
	ObjectType      ID = "object-type"
	TooMany         ID = "too-many"
	TooLong         ID = "too-long"
	DuplicateObject ID = "duplicate-object"
	ClusterScoped   ID = "cluster-scoped"
	Namespace       ID = "namespace"
)

// What one Tailnet, TailnetGateway or TailnetEgress must be.
const (
	ObjectName         ID = "object-name"
	GatewayName        ID = "gateway-name"
	ReservedName       ID = "reserved-name"
	OperatorNamespace  ID = "operator-namespace"
	URL                ID = "url"
	SecureURL          ID = "secure-url"
	ReferenceName      ID = "reference-name"
	DataKey            ID = "data-key"
	PolicyMode         ID = "policy-mode"
	DeletionPolicy     ID = "deletion-policy"
	RenderFormat       ID = "render-format"
	NodeName           ID = "node-name"
	Tag                ID = "tag"
	DuplicateTag       ID = "duplicate-tag"
	Prefix             ID = "prefix"
	PrefixIPv6         ID = "prefix-ipv6"
	PrefixRange        ID = "prefix-range"
	IPv4               ID = "ipv4"
	IPv4Unicast        ID = "ipv4-unicast"
	IPUnicast          ID = "ip-unicast"
	LBInCIDR           ID = "lb-in-cidr"
	LabelKey           ID = "label-key"
	LabelValue         ID = "label-value"
	PoolLabelOwned     ID = "pool-label-owned"
	ZoneName           ID = "zone-name"
	ServiceName        ID = "service-name"
	ServiceNameTaken   ID = "service-name-taken"
	AddressesDiffer    ID = "addresses-differ"
	RecordName         ID = "record-name"
	RecordOutside      ID = "record-outside"
	RecordApex         ID = "record-apex"
	RecordDuplicate    ID = "record-duplicate"
	ExtraZoneOverlap   ID = "extra-zone-overlap"
	UpstreamDuplicate  ID = "upstream-duplicate"
	UpstreamSelf       ID = "upstream-self"
	ImagePin           ID = "image-pin"
	Quantity           ID = "quantity"
	ResourceName       ID = "resource-name"
	RequestOverLimit   ID = "request-over-limit"
	Sysctl             ID = "sysctl"
	SysctlValue        ID = "sysctl-value"
	DuplicateSysctl    ID = "duplicate-sysctl"
	Toleration         ID = "toleration"
	StateSecret        ID = "state-secret"
	AuthSecretRef      ID = "auth-secret-ref"
	ForwardPort        ID = "forward-port"
	ForwardUnsupported ID = "forward-unsupported"
	AdoptionNodeID     ID = "adoption-node-id"
	AdoptionKind       ID = "adoption-kind"
	AdoptionUID        ID = "adoption-uid"
	AdoptionWorkload   ID = "adoption-workload"
	AdoptionState      ID = "adoption-state"
	AdoptionDuplicate  ID = "adoption-duplicate"
	AdoptionImmutable  ID = "adoption-immutable"
	AdoptionRefused    ID = "adoption-unsupported"
	EgressTarget       ID = "egress-target"
)

// What the documents of one input must be together.
const (
	TailnetMissing    ID = "tailnet-missing"
	HistoricalNode    ID = "historical-node"
	HostnameConflict  ID = "hostname-conflict"
	AddressConflict   ID = "address-conflict"
	ZoneConflict      ID = "zone-conflict"
	NameConflict      ID = "name-conflict"
	BindingValue      ID = "binding-value"
	BindingPartial    ID = "binding-partial"
	BindingRepeated   ID = "binding-repeated"
	EarlierRendering  ID = "earlier-rendering"
	HostsOwner        ID = "hosts-owner"
	HostsKey          ID = "hosts-key"
	HostsRenamed      ID = "hosts-renamed"
	ReferenceRenamed  ID = "reference-renamed"
	HostsLine         ID = "hosts-line"
	HostsAddress      ID = "hosts-address"
	HostsApex         ID = "hosts-apex"
	HostsName         ID = "hosts-name"
	HostsSize         ID = "hosts-size"
	HostsNames        ID = "hosts-names"
	ConfigSize        ID = "config-size"
	RouteOverlap      ID = "route-overlap"
	EgressElsewhere   ID = "egress-elsewhere"
	EgressCovered     ID = "egress-covered"
	ConfigClientApply ID = "config-client-apply"
)

// Table lists every rule once, in the order in which the reference prints it.
var Table = []Rule{
	{Syntax, "is not readable YAML or JSON", "RN-08", false},
	{DuplicateKey, "is written twice in this object: keep one of them", "RN-08", false},
	{NotAnObject, "must be a Kubernetes object: a mapping with apiVersion, kind and metadata.name", "RN-08", false},
	{NestedList, "must be written out: what a List inside a ResourceList holds would not be seen", "RN-08", false},
	{APIVersion, "must be tsunaro.io/v1alpha1 for this kind", "LC-01", false},
	{UnknownKind, "must be Tailnet, TailnetGateway or TailnetEgress in this API group", "LC-01", false},
	{FunctionConfig, "must be a GatewayRender of render.tsunaro.io/v1alpha1", "RN-10", false},
	{BareConfig, "must not be the function configuration itself: list it under resources and put a GatewayRender under transformers (run `tsunaro-fn --help` for the lines)", "RN-10", false},
	{Emit, "must be All or Resources", "RN-10", false},
	{GeneratorInputs, "is required for a generator, which sees no other document: list the files to render, or use the GatewayRender as a transformer", "RN-10", false},
	{InputFile, "must be a readable file or directory below the kustomization", "RN-10", false},
	{NoGateway, "holds no TailnetGateway: an empty render would let an engine prune, so it is refused", "RN-13", false},
	{UnknownField, "is not a field of this kind: check its spelling and indentation", "RN-08", false},
	{Required, "is required", "RN-08", false},
	{StringType, "must be a string: put the value in quotes", "RN-08", false},
	{BooleanType, "must be true or false, without quotes", "RN-08", false},
	{IntegerType, "must be a whole number, without quotes", "RN-08", false},
	{ListType, "must be a list", "RN-08", false},
	{ObjectType, "must be an object", "RN-08", false},
	{TooMany, "holds more entries than are allowed here", "RN-08", false},
	{TooLong, "is longer than is allowed here", "RN-08", false},
	{DuplicateObject, "is defined twice in this input: keep one of them", "RN-08", false},
	{ClusterScoped, "must be left out: this kind is cluster-scoped; its gateway objects go to the Tailnet's spec.operatorNamespace", "RN-12", false},
	{Namespace, "must be the Tailnet's spec.operatorNamespace", "CF-01", false},

	{ObjectName, "must be a DNS-1123 label: lower-case letters, digits and '-', at most 63 characters", "CF-01", false},
	{GatewayName, "must be a DNS-1035 label of at most 40 characters: lower-case letters, digits and '-', beginning with a letter", "LC-01", false},
	{ReservedName, "must not be the minter's own name: its ServiceAccount would be the gateway's", "OP-02", false},
	{OperatorNamespace, "must be a DNS-1123 label: lower-case letters, digits and '-', at most 63 characters", "RN-12", false},
	{URL, "must be a URL of the form https://host[:port][/path], lower case, without user, query or fragment", "CF-01", false},
	{SecureURL, "must use https: http is for a loopback host, or needs spec.allowHTTP: true", "CF-01", false},
	{ReferenceName, "must be a DNS-1123 subdomain: lower-case letters, digits, '-' and '.', at most 253 characters", "CF-01", false},
	{DataKey, "must be a data key: letters, digits, '-', '_' and '.', at most 253 characters", "CF-01", false},
	{PolicyMode, "must be DryRun or Apply", "OP-04", false},
	{DeletionPolicy, "must be Retain or Delete", "TD-01", false},
	{RenderFormat, "must be a render format this version knows: 1", "RN-11", false},
	{NodeName, "must be a DNS-1123 label: lower-case letters, digits and '-', at most 63 characters", "MT-05", false},
	{Tag, "must be a tag that Headscale accepts: tag: and a lower-case letter, then lower-case letters, digits or '-'", "MT-01", false},
	{DuplicateTag, "is listed twice: keep one of them", "MT-01", false},
	{Prefix, "must be a canonical IPv4 prefix such as 192.168.10.0/24: no leading zeros, no host bits", "CF-05", false},
	{PrefixIPv6, "must be IPv4: IPv6 routes are not supported", "LC-07", false},
	{PrefixRange, "must not touch unspecified (0.0.0.0/8), loopback (127.0.0.0/8) or multicast (224.0.0.0/4) addresses", "CF-05", false},
	{IPv4, "must be a canonical IPv4 address such as 10.99.0.53: no leading zeros, not IPv4-mapped", "CF-06", false},
	{IPv4Unicast, "must be a unicast address: not unspecified, loopback, link-local, multicast or broadcast", "CF-06", false},
	{IPUnicast, "must be a canonical unicast IPv4 or IPv6 address: not unspecified, loopback, link-local, multicast, broadcast or IPv4-mapped, no zone", "DN-05", false},
	{LBInCIDR, "must lie inside spec.tailnetLBCIDR", "CF-06", false},
	{LabelKey, "must be a label key: an optional DNS subdomain and '/', then at most 63 letters, digits, '-', '_' or '.'", "RN-04", false},
	{LabelValue, "must be a label value: at most 63 letters, digits, '-', '_' or '.', beginning and ending with a letter or digit", "RN-04", false},
	{PoolLabelOwned, "must not be a key that this product or a GitOps engine owns (tsunaro.io/, argocd.argoproj.io/, fluxcd.io/, app.kubernetes.io/instance)", "RN-04", false},
	{ZoneName, "must be a lower-case DNS name without a final dot: labels of 1 to 63 letters, digits, '-' or '_', at most 253 characters", "DN-08", false},
	{ServiceName, "must be a DNS-1035 label of at most 63 characters: lower-case letters, digits and '-', beginning with a letter", "CF-02", false},
	{ServiceNameTaken, "must not be the name of the headless or the LoadBalancer Service of this gateway: choose another", "RN-08", false},
	{AddressesDiffer, "must differ from spec.loadBalancerIP", "RN-08", false},
	{RecordName, "must be a lower-case DNS name: relative to the zone, or absolute with a final dot; '*' only as the whole first label", "DN-01", false},
	{RecordOutside, "must lie inside spec.dns.zone and be at most 253 characters long with it", "DN-01", false},
	{RecordApex, "must not be the zone's apex, which is reserved for the gateway's address", "DN-04", false},
	{RecordDuplicate, "is listed twice: put all addresses of a name into one entry", "DN-02", false},
	{ExtraZoneOverlap, "must neither equal, contain nor lie inside spec.dns.zone or another extra zone", "DN-08", false},
	{UpstreamDuplicate, "is listed twice: keep one of them", "DN-08", false},
	{UpstreamSelf, "must not be an address of the gateway itself", "DN-08", false},
	{ImagePin, "must pin an image: name@sha256:digest, or name:tag with a full version such as v1.102.4", "CF-03", false},
	{Quantity, "must be a quantity such as 250m or 64Mi, not negative", "PD-08", false},
	{ResourceName, "must be cpu, memory or ephemeral-storage", "PD-08", false},
	{RequestOverLimit, "must not be more than the limit of the same resource", "PD-08", false},
	{Sysctl, "must be a namespaced sysctl name such as net.ipv4.ip_forward", "PD-08", false},
	{SysctlValue, "must not hold '$': Flux would take it for a variable of its own", "PD-08", false},
	{DuplicateSysctl, "is listed twice: keep one of them", "PD-08", false},
	{Toleration, "must be a toleration that Kubernetes accepts: operator Exists (no value) or Equal (with a key); effect NoSchedule, PreferNoSchedule or NoExecute; tolerationSeconds with NoExecute only", "PD-08", false},
	{StateSecret, "must be the gateway's name followed by -state, or be left out", "LC-07", false},
	{AuthSecretRef, "is not supported: the minter mints the key itself; leave it out", "LC-07", false},
	{ForwardPort, "must be a port from 1 to 65535 other than 53, 8080, 8181 and 9153", "CF-04", false},
	{ForwardUnsupported, "is not supported: TCP forwards are refused; leave it out", "LC-07", false},
	{AdoptionNodeID, "must be a Headscale node ID: a decimal number without leading zeros", "CF-08", false},
	{AdoptionKind, "must be one of apps/v1 StatefulSet, v1 Secret, Service, ConfigMap or ServiceAccount, rbac.authorization.k8s.io/v1 Role or RoleBinding, policy/v1 PodDisruptionBudget", "CF-08", false},
	{AdoptionUID, "must be an object UID: lower-case hexadecimal digits in the form 8-4-4-4-12", "CF-08", false},
	{AdoptionWorkload, "must hold exactly one StatefulSet, named after the gateway", "CF-08", false},
	{AdoptionState, "must hold exactly one Secret, the gateway's state Secret", "CF-08", false},
	{AdoptionDuplicate, "must not repeat a UID, or a kind with the same name", "CF-08", false},
	{AdoptionImmutable, "is immutable after creation", "CF-08", false},
	{AdoptionRefused, "is not supported: existing gateways are never adopted; leave it out", "LC-07", false},
	{EgressTarget, "must be a canonical unicast IPv4 address or a lower-case DNS name", "RN-07", false},

	{TailnetMissing, "must name a Tailnet of the same input (kustomize's namePrefix and nameSuffix rename the Tailnet but not this reference)", "RN-01", false},
	{HistoricalNode, "names a node, so this is not a fresh gateway: keep status out of Git", "RN-08", false},
	{HostnameConflict, "is also the hostname of another gateway of this Tailnet", "RN-08", false},
	{AddressConflict, "is also an address of another gateway", "RN-08", false},
	{ZoneConflict, "is also the zone of another gateway", "RN-08", false},
	{NameConflict, "is also the name of another object of this kind", "RN-08", false},
	{BindingValue, "must be an object UID: lower-case hexadecimal digits in the form 8-4-4-4-12", "RN-05", false},
	{BindingPartial, "is missing: a binding holds both UIDs of a gateway or none", "RN-05", false},
	{BindingRepeated, "is a UID that the registry names twice: each stands for one object", "RN-05", false},
	{EarlierRendering, "is a rendering of a gateway that is not in this input: add its TailnetGateway, or remove this object", "RN-13", false},
	{HostsOwner, "must be the name of the Tailnet whose hosts these are", "DL-08", false},
	{HostsKey, "is required: it is the hosts source that the Tailnet names", "DL-08", false},
	{HostsRenamed, "must not get a name suffix, or the minter would not find it: set generatorOptions.disableNameSuffixHash: true", "DN-13", false},
	{ReferenceRenamed, "must not get a name suffix, or what the Tailnet refers to would not be found: set generatorOptions.disableNameSuffixHash: true", "CF-01", false},
	{HostsLine, "must be one address and at least one name", "DN-13", false},
	{HostsAddress, "must begin with a canonical unicast IPv4 or IPv6 address: not unspecified, loopback, link-local, multicast, broadcast or IPv4-mapped, no zone", "DN-05", false},
	{HostsApex, "must not claim the zone's apex, which is reserved for the gateway's address", "DN-04", false},
	{HostsName, "must hold DNS names: labels of 1 to 63 letters, digits, '-' or '_', at most 253 characters", "DN-13", false},
	{HostsSize, "must be at most 1 MiB", "DN-06", false},
	{HostsNames, "must hold at most 16384 distinct names of the gateway's zones", "DN-06", false},
	{ConfigSize, "would need more than 1 MiB of DNS configuration: shorten the hosts source or spec.dns.records", "DN-06", false},
	{RouteOverlap, "overlaps a route of another gateway of this Tailnet: only one of them carries it at a time", "RN-08", true},
	{EgressElsewhere, "is not in the Tailnet's operator namespace: it adds no route", "RN-07", true},
	{EgressCovered, "lies inside another route: the /32 is advertised as well (spec.routes.advertiseEgressTargets: false leaves it out)", "RN-07", true},
	{ConfigClientApply, "holds more than 256 KiB: apply it server-side, client-side apply cannot store it", "DN-06", true},
}

var byID = func() map[ID]Rule {
	m := make(map[ID]Rule, len(Table))
	for _, r := range Table {
		m[r.ID] = r
	}
	return m
}()

// Lookup returns the rule's row. It panics on an ID that is not in the table,
// which only a programming error can produce.
func Lookup(id ID) Rule {
	r, ok := byID[id]
	if !ok {
		panic("rules: no rule " + string(id))
	}
	return r
}
