package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A TailnetGateway is one node of a tailnet that leads into local networks and
// answers DNS for one zone. Its nine Kubernetes resources are rendered from it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=tngw,categories=tsunaro
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Tailnet",type=string,JSONPath=`.spec.tailnetRef.name`
// +kubebuilder:printcolumn:name="Zone",type=string,JSONPath=`.spec.dns.zone`
// +kubebuilder:printcolumn:name="Node IP",type=string,JSONPath=`.status.ipv4`
// +kubebuilder:printcolumn:name="LB IP",type=string,JSONPath=`.spec.loadBalancerIP`
// +kubebuilder:printcolumn:name="Suspended",type=boolean,JSONPath=`.spec.suspend`,priority=1
// +kubebuilder:printcolumn:name="Routes",type=string,JSONPath=`.status.conditions[?(@.type=="RoutesInSync")].reason`,priority=1
// +kubebuilder:printcolumn:name="Workload",type=string,JSONPath=`.status.conditions[?(@.type=="WorkloadCurrent")].reason`,priority=1
// +kubebuilder:printcolumn:name="DNS serial",type=integer,JSONPath=`.status.dns.serial`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z]([-a-z0-9]{0,38}[a-z0-9])?$')",message="must be a DNS-1035 label of at most 40 characters: lower-case letters, digits and '-', beginning with a letter"
// +kubebuilder:validation:XValidation:rule="self.metadata.name != 'tsunaro-minter'",message="must not be the minter's own name: its ServiceAccount would be the gateway's"
// +kubebuilder:validation:XValidation:rule="self.spec.dns.serviceName != self.metadata.name && self.spec.dns.serviceName != self.metadata.name + '-lb'",message="must not be the name of the headless or the LoadBalancer Service of this gateway: choose another",fieldPath=".spec.dns.serviceName"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.stateSecretRef) || self.spec.stateSecretRef.name == self.metadata.name + '-state'",message="must be the gateway's name followed by -state, or be left out",fieldPath=".spec.stateSecretRef.name"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.adoption) || self.spec.adoption.objects.filter(o, o.kind == 'StatefulSet').map(o, o.name) == [string(self.metadata.name)]",message="must hold exactly one StatefulSet, named after the gateway",fieldPath=".spec.adoption.objects"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.adoption) || self.spec.adoption.objects.filter(o, o.kind == 'Secret').map(o, o.name) == [self.metadata.name + '-state']",message="must hold exactly one Secret, the gateway's state Secret",fieldPath=".spec.adoption.objects"
type TailnetGateway struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What the gateway is.
	// +required
	Spec TailnetGatewaySpec `json:"spec"`

	// What the minter last saw of it. It has no place in Git.
	// +optional
	// +kubebuilder:default={}
	Status TailnetGatewayStatus `json:"status,omitzero"`
}

// TailnetGatewayList is a list of TailnetGateways.
//
// +kubebuilder:object:root=true
type TailnetGatewayList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []TailnetGateway `json:"items"`
}

// TailnetGatewaySpec says what a TailnetGateway is.
//
// +kubebuilder:validation:XValidation:rule="!isIP(self.loadBalancerIP) || !isCIDR(self.tailnetLBCIDR) || cidr(self.tailnetLBCIDR).containsIP(self.loadBalancerIP)",message="must lie inside spec.tailnetLBCIDR",fieldPath=".loadBalancerIP"
// +kubebuilder:validation:XValidation:rule="self.dns.clusterIP != self.loadBalancerIP",message="must differ from spec.loadBalancerIP",fieldPath=".dns.clusterIP"
// +kubebuilder:validation:XValidation:rule="!has(self.dns.extraZones) || self.dns.extraZones.all(z, !(self.loadBalancerIP in z.upstreams) && !(self.dns.clusterIP in z.upstreams))",message="must not be an address of the gateway itself",fieldPath=".dns.extraZones"
// +kubebuilder:validation:XValidation:rule="has(self.adoption) == has(oldSelf.adoption) && (!has(self.adoption) || self.adoption == oldSelf.adoption)",message="is immutable after creation",fieldPath=".adoption"
type TailnetGatewaySpec struct {
	// Only an explicit false activates the gateway. While it is suspended
	// nothing is rendered or minted, and a running gateway keeps running.
	// Class: Mutable.
	// +optional
	// +kubebuilder:default=true
	Suspend *bool `json:"suspend,omitempty"`

	// Retain keeps everything when this object is deleted. Delete is consent to
	// remove node, key and objects then, also when an engine prunes it.
	// Class: Mutable.
	// +optional
	// +kubebuilder:default=Retain
	DeletionPolicy DeletionPolicy `json:"deletionPolicy,omitempty"`

	// The format that the nine resources are rendered in. A gateway keeps its
	// format for life. Class: Identity.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XValidation:rule="self == 1",message="must be a render format this version knows: 1"
	RenderFormat int32 `json:"renderFormat,omitempty"`

	// The Tailnet that the gateway is a node of. Class: Identity.
	// +required
	TailnetRef GatewayTailnetRef `json:"tailnetRef"`

	// The node's name in Headscale. Left out, it is the name of this object.
	// Class: Identity.
	// +optional
	Hostname ObjectName `json:"hostname,omitempty"`

	// The node's tags. Class: Identity.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(t, self.exists_one(u, u == t))",message="is listed twice: keep one of them"
	Tags []Tag `json:"tags"`

	// What the gateway leads to. Class: Mutable.
	// +required
	Routes Routes `json:"routes"`

	// The prefix of the cluster's load balancer addresses that the tailnet
	// reaches; the gateway advertises it. Class: Mutable.
	// +required
	TailnetLBCIDR Prefix `json:"tailnetLBCIDR"`

	// The address of the gateway's LoadBalancer Service, inside tailnetLBCIDR.
	// It is also the A record of the zone's apex. Class: Identity.
	// +required
	LoadBalancerIP IPv4 `json:"loadBalancerIP"`

	// Labels by which the load balancer chooses the address pool. They go on
	// the LoadBalancer Service only. Class: Mutable.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(k, !format.qualifiedName().validate(k).hasValue())",message="must be a label key: an optional DNS subdomain and '/', then at most 63 letters, digits, '-', '_' or '.'"
	// +kubebuilder:validation:XValidation:rule=`self.all(k, k != 'app.kubernetes.io/instance' && !k.matches(r'^([^/]*\.)?(tsunaro\.io|argocd\.argoproj\.io|fluxcd\.io)/'))`,message="must not be a key that this product or a GitOps engine owns (tsunaro.io/, argocd.argoproj.io/, fluxcd.io/, app.kubernetes.io/instance)"
	PoolLabels map[string]LabelValue `json:"poolLabels,omitempty"`

	// The zone that the gateway answers for, and its neighbours.
	// +required
	DNS DNS `json:"dns"`

	// The images of the Pod's containers, each pinned by a digest or by the tag
	// of a full version. A new image runs once the Pod has been deleted.
	// Class: Mutable.
	// +optional
	// +kubebuilder:default={}
	Images Images `json:"images,omitzero"`

	// What the Pod may use, and where it runs. Class: Pinned.
	// +optional
	Pod Pod `json:"pod,omitzero"`

	// The Secret that holds the node's identity. Only the default is supported:
	// the name of this object followed by -state. Class: Identity.
	// +optional
	StateSecretRef *StateRef `json:"stateSecretRef,omitempty"`

	// Not supported: the minter makes the node's key itself. The renderer
	// refuses it. Class: Identity.
	// +optional
	AuthKeySecretRef *AuthKeyRef `json:"authKeySecretRef,omitempty"`

	// Not supported: TCP forwards. The renderer refuses them. Class: Identity.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Forwards []Forward `json:"forwards,omitempty"`

	// Not supported: taking over a gateway that exists. The renderer refuses
	// it. It cannot be changed, added or removed later. Class: Identity.
	// +optional
	Adoption *Adoption `json:"adoption,omitempty"`
}

// DeletionPolicy is Retain or Delete.
// +kubebuilder:validation:Enum=Retain;Delete
type DeletionPolicy string

// The deletion policies.
const (
	DeletionRetain DeletionPolicy = "Retain"
	DeletionDelete DeletionPolicy = "Delete"
)

// GatewayTailnetRef names the Tailnet of a gateway.
type GatewayTailnetRef struct {
	// Name of the Tailnet. Class: Identity.
	// +required
	Name ObjectName `json:"name"`
}

// Routes are the local networks that a gateway leads to.
type Routes struct {
	// The prefixes of the local networks. Each is advertised as it is written.
	// Class: Mutable.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	LAN []Prefix `json:"lan"`

	// Whether each literal address of the Tailnet's egresses is advertised as a
	// /32 route. Class: Mutable.
	// +optional
	// +kubebuilder:default=true
	AdvertiseEgressTargets *bool `json:"advertiseEgressTargets,omitempty"`
}

// DNS is the zone that a gateway answers for, and its neighbours.
//
// That no record is listed twice is asked by building a map, which fails with
// the rule's message on a repeated key: comparing each with each would cost an
// API server too much.
//
// +kubebuilder:validation:XValidation:rule="!has(self.records) || self.records.all(r, r.name.endsWith('.') ? r.name == self.zone + '.' || r.name.endsWith('.' + self.zone + '.') : size(r.name) + size(self.zone) <= 252)",message="must lie inside spec.dns.zone and be at most 253 characters long with it",fieldPath=".records"
// +kubebuilder:validation:XValidation:rule="!has(self.records) || self.records.all(r, r.name != self.zone + '.')",message="must not be the zone's apex, which is reserved for the gateway's address",fieldPath=".records"
// +kubebuilder:validation:XValidation:rule="!has(self.records) || size(self.records.transformMapEntry(i, r, {(r.name.endsWith('.') ? r.name : r.name + '.' + self.zone + '.'): i})) == size(self.records)",message="is listed twice: put all addresses of a name into one entry",fieldPath=".records"
// +kubebuilder:validation:XValidation:rule="!has(self.extraZones) || self.extraZones.all(z, z.zone != self.zone && !z.zone.endsWith('.' + self.zone) && !self.zone.endsWith('.' + z.zone) && self.extraZones.exists_one(y, y.zone == z.zone || y.zone.endsWith('.' + z.zone) || z.zone.endsWith('.' + y.zone)))",message="must neither equal, contain nor lie inside spec.dns.zone or another extra zone",fieldPath=".extraZones"
type DNS struct {
	// The zone: lower case, without a final dot. Class: Identity.
	// +required
	Zone Zone `json:"zone"`

	// Name of the ClusterIP Service that the cluster's own DNS forwards to.
	// Class: Identity.
	// +required
	ServiceName ServiceName `json:"serviceName"`

	// Address of that Service. Class: Identity.
	// +required
	ClusterIP IPv4 `json:"clusterIP"`

	// Static names of the zone. A name of the hosts source replaces all
	// addresses of the same name here. Class: Mutable.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=1024
	Records []Record `json:"records,omitempty"`

	// Other zones that the gateway answers for from the hosts source, and
	// forwards otherwise. Class: Identity.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	ExtraZones []ExtraZone `json:"extraZones,omitempty"`
}

// Record is a static name with its addresses.
type Record struct {
	// Relative to the zone, or absolute with a final dot. The first label may
	// be the wildcard *. Class: Mutable.
	// +required
	Name RecordName `json:"name"`

	// IPv4 and IPv6 addresses. Class: Mutable.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=16
	Addresses []Address `json:"addresses"`
}

// ExtraZone is a zone that somebody else answers for in full.
type ExtraZone struct {
	// The zone: lower case, without a final dot. Class: Identity.
	// +required
	Zone Zone `json:"zone"`

	// The servers that know the zone. Class: Identity.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(u, self.exists_one(v, v == u))",message="is listed twice: keep one of them"
	Upstreams []Address `json:"upstreams"`
}

// Images are the images of the Pod's containers.
type Images struct {
	// Image of the Tailscale container, and of the preflight check before it.
	// Class: Mutable.
	// +optional
	// +kubebuilder:default="ghcr.io/tailscale/tailscale:v1.102.4"
	Tailscale Image `json:"tailscale,omitempty"`

	// Image of the CoreDNS container. Class: Mutable.
	// +optional
	// +kubebuilder:default="registry.k8s.io/coredns/coredns:v1.14.6"
	CoreDNS Image `json:"coredns,omitempty"`
}

// StateRef names the Secret that holds the node's identity.
type StateRef struct {
	// Name of the Secret. Class: Identity.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`
}

// AuthKeyRef names a key of a Secret.
type AuthKeyRef struct {
	// Name of the Secret. Class: Identity.
	// +required
	Name ReferenceName `json:"name"`

	// Key of its data. Class: Identity.
	// +optional
	Key DataKey `json:"key,omitempty"`
}

// Forward is a TCP port of the node that leads somewhere else.
type Forward struct {
	// The port of the node. Class: Identity.
	// +required
	// +kubebuilder:validation:XValidation:rule="self >= 1 && self <= 65535 && !(self in [53, 8080, 8181, 9153])",message="must be a port from 1 to 65535 other than 53, 8080, 8181 and 9153"
	ListenPort int64 `json:"listenPort"`

	// Where it leads: host:port. Class: Identity.
	// +required
	// +kubebuilder:validation:MaxLength=512
	Target string `json:"target"`
}

// Adoption describes a gateway that exists already.
type Adoption struct {
	// Headscale's ID of the node. Class: Identity.
	// +required
	// +kubebuilder:validation:MaxLength=20
	// +kubebuilder:validation:XValidation:rule="self.matches('^[1-9][0-9]*$') && (size(self) < 20 || self <= '18446744073709551615')",message="must be a Headscale node ID: a decimal number without leading zeros"
	NodeID string `json:"nodeId"`

	// The objects of the gateway. Class: Identity.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	// +kubebuilder:validation:XValidation:rule="self.all(o, self.exists_one(p, p.uid == o.uid) && self.exists_one(p, p.kind == o.kind && p.name == o.name))",message="must not repeat a UID, or a kind with the same name"
	Objects []AdoptedObject `json:"objects"`
}

// AdoptedObject is an object of a gateway that exists already.
//
// +kubebuilder:validation:XValidation:rule="self.kind == 'StatefulSet' ? self.apiVersion == 'apps/v1' : self.kind in ['Secret', 'Service', 'ConfigMap', 'ServiceAccount'] ? self.apiVersion == 'v1' : self.kind in ['Role', 'RoleBinding'] ? self.apiVersion == 'rbac.authorization.k8s.io/v1' : self.kind == 'PodDisruptionBudget' && self.apiVersion == 'policy/v1'",message="must be one of apps/v1 StatefulSet, v1 Secret, Service, ConfigMap or ServiceAccount, rbac.authorization.k8s.io/v1 Role or RoleBinding, policy/v1 PodDisruptionBudget"
type AdoptedObject struct {
	// Group and version. Class: Identity.
	// +required
	// +kubebuilder:validation:MaxLength=63
	APIVersion string `json:"apiVersion"`

	// Kind. Class: Identity.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`

	// Name. Class: Identity.
	// +required
	Name ReferenceName `json:"name"`

	// UID. Class: Identity.
	// +required
	UID UID `json:"uid"`
}
