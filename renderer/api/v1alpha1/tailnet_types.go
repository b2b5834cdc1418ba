package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A Tailnet is one Headscale server and what its gateways share: where their
// objects live, which names they serve, and how the server is reached.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:scope=Cluster,shortName=tn,categories=tsunaro
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].status`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="URL",type=string,JSONPath=`.spec.controlURL`
// +kubebuilder:printcolumn:name="Namespace",type=string,JSONPath=`.spec.operatorNamespace`
// +kubebuilder:printcolumn:name="Key expires",type=date,JSONPath=`.status.apiKey.expiresAt`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:validation:XValidation:rule="self.metadata.name.matches('^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$')",message="must be a DNS-1123 label: lower-case letters, digits and '-', at most 63 characters"
type Tailnet struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What the tailnet is.
	// +required
	Spec TailnetSpec `json:"spec"`

	// What the minter last saw of it.
	// +optional
	// +kubebuilder:default={}
	Status TailnetStatus `json:"status,omitzero"`
}

// TailnetList is a list of Tailnets.
//
// +kubebuilder:object:root=true
type TailnetList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []Tailnet `json:"items"`
}

// TailnetSpec says what a Tailnet is.
//
// +kubebuilder:validation:XValidation:rule=`(has(self.allowHTTP) && self.allowHTTP) || !self.controlURL.startsWith('http://') || self.controlURL.matches(r'^http://(localhost|127\.[0-9.]+|\[::1\])([:/].*)?$')`,message="must use https: http is for a loopback host, or needs spec.allowHTTP: true",fieldPath=".controlURL"
// +kubebuilder:validation:XValidation:rule=`!has(self.apiURL) || (has(self.allowHTTP) && self.allowHTTP) || !self.apiURL.startsWith('http://') || self.apiURL.matches(r'^http://(localhost|127\.[0-9.]+|\[::1\])([:/].*)?$')`,message="must use https: http is for a loopback host, or needs spec.allowHTTP: true",fieldPath=".apiURL"
type TailnetSpec struct {
	// Where every Secret, ConfigMap and gateway object of this tailnet lives.
	// Class: Identity.
	// +optional
	// +kubebuilder:default=tsunaro-system
	OperatorNamespace ObjectName `json:"operatorNamespace,omitempty"`

	// The login server of the nodes: https, or http on a loopback host.
	// Class: Identity.
	// +required
	ControlURL URL `json:"controlURL"`

	// The server's REST API. Left out, it is controlURL. Class: Mutable.
	// +optional
	APIURL URL `json:"apiURL,omitempty"`

	// Allows http URLs on hosts that are not loopback. Keys then travel
	// unencrypted: only for a network that protects them otherwise.
	// Class: Mutable.
	// +optional
	// +kubebuilder:default=false
	AllowHTTP bool `json:"allowHTTP,omitempty"`

	// The certificates that the server's certificate is checked against, in PEM
	// form. Left out, the system's own are used. Also mounted into the Pods.
	// Class: Pinned.
	// +optional
	CABundleConfigMapRef *CABundleRef `json:"caBundleConfigMapRef,omitempty"`

	// The API key that the minter makes its own working key with.
	// Class: Mutable.
	// +optional
	// +kubebuilder:default={}
	BootstrapSecretRef BootstrapRef `json:"bootstrapSecretRef,omitzero"`

	// Where the dynamic names come from. Class: Identity.
	// +optional
	// +kubebuilder:default={}
	DNS TailnetDNS `json:"dns,omitzero"`

	// What happens to the server's access policy. Class: Mutable.
	// +optional
	// +kubebuilder:default={}
	Policy Policy `json:"policy,omitzero"`
}

// CABundleRef names a key of a ConfigMap in the operator namespace.
type CABundleRef struct {
	// Name of the ConfigMap. Class: Pinned.
	// +required
	Name ReferenceName `json:"name"`

	// Key of its data. Class: Pinned.
	// +optional
	// +kubebuilder:default=ca.crt
	Key DataKey `json:"key,omitempty"`
}

// BootstrapRef names a key of a Secret in the operator namespace.
type BootstrapRef struct {
	// Name of the Secret. Class: Mutable.
	// +optional
	// +kubebuilder:default=headscale-bootstrap
	Name ReferenceName `json:"name,omitempty"`

	// Key of its data. Class: Mutable.
	// +optional
	// +kubebuilder:default=apikey
	Key DataKey `json:"key,omitempty"`
}

// TailnetDNS says where the dynamic names come from.
type TailnetDNS struct {
	// The hosts source: lines of an address and its names, in a ConfigMap that
	// carries the label tsunaro.io/tailnet with this Tailnet's name.
	// Class: Identity.
	// +optional
	// +kubebuilder:default={}
	HostsConfigMapRef HostsRef `json:"hostsConfigMapRef,omitzero"`
}

// HostsRef names a key of a ConfigMap in the operator namespace.
type HostsRef struct {
	// Name of the ConfigMap. Class: Identity.
	// +optional
	// +kubebuilder:default=tailnet-dns-hosts
	Name ReferenceName `json:"name,omitempty"`

	// Key of its data. Class: Identity.
	// +optional
	// +kubebuilder:default=hosts
	Key DataKey `json:"key,omitempty"`
}

// Policy says what happens to the server's access policy.
type Policy struct {
	// DryRun shows what would be added to the policy, Apply adds it.
	// Class: Mutable.
	// +optional
	// +kubebuilder:default=DryRun
	Mode PolicyMode `json:"mode,omitempty"`

	// The policy that gateway tags and routes are added to.
	// Class: Mutable.
	// +optional
	BaseConfigMapRef *PolicyRef `json:"baseConfigMapRef,omitempty"`
}

// PolicyMode is DryRun or Apply.
// +kubebuilder:validation:Enum=DryRun;Apply
type PolicyMode string

// The policy modes.
const (
	PolicyDryRun PolicyMode = "DryRun"
	PolicyApply  PolicyMode = "Apply"
)

// PolicyRef names a key of a ConfigMap in the operator namespace.
type PolicyRef struct {
	// Name of the ConfigMap. Class: Mutable.
	// +required
	Name ReferenceName `json:"name"`

	// Key of its data. Class: Mutable.
	// +optional
	// +kubebuilder:default=policy.hujson
	Key DataKey `json:"key,omitempty"`
}

// TailnetStatus is what the minter last saw of a Tailnet.
type TailnetStatus struct {
	// Generation of the spec that the rest of the status is about; -1 until the
	// minter has seen the Tailnet.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// The minter's working key. The key itself is never shown.
	// +optional
	APIKey *APIKeyStatus `json:"apiKey,omitempty"`

	// Conditions of the Tailnet: Ready, APIKey, Reconciling and Stalled.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// APIKeyStatus describes the minter's working key.
type APIKeyStatus struct {
	// Headscale's ID of the key.
	// +required
	// +kubebuilder:validation:MaxLength=20
	ID string `json:"id"`

	// When the key expires. The minter makes the next one before.
	// +required
	ExpiresAt metav1.Time `json:"expiresAt"`
}
