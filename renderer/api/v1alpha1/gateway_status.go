package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// TailnetGatewayStatus is what the minter last saw of a TailnetGateway. While
// the gateway is suspended these are last known values, not fresh ones.
type TailnetGatewayStatus struct {
	// Generation of the spec that the rest of the status is about; -1 until the
	// minter has seen the gateway.
	// +optional
	// +kubebuilder:default=-1
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Headscale's ID of the node.
	// +optional
	// +kubebuilder:validation:MaxLength=20
	NodeID string `json:"nodeId,omitempty"`

	// The node's address in the tailnet.
	// +optional
	// +kubebuilder:validation:MaxLength=45
	IPv4 string `json:"ipv4,omitempty"`

	// The address that the LoadBalancer Service has.
	// +optional
	// +kubebuilder:validation:MaxLength=45
	ServiceIP string `json:"serviceIP,omitempty"`

	// The routes that the running Pod advertises.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16384
	AdvertisedRoutes []Route `json:"advertisedRoutes,omitempty"`

	// Those of them that Headscale has approved.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16384
	ApprovedRoutes []Route `json:"approvedRoutes,omitempty"`

	// Routes that Headscale has approved and that are no longer wanted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16384
	StaleRoutes []Route `json:"staleRoutes,omitempty"`

	// Headscale's IDs of older nodes of the same name. They are reported, and
	// never deleted.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=256
	StaleNodeIDs []NodeID `json:"staleNodeIds,omitempty"`

	// What the gateway answers from.
	// +optional
	DNS *DNSStatus `json:"dns,omitempty"`

	// The plan that the routes follow.
	// +optional
	RoutePlan *RoutePlanStatus `json:"routePlan,omitempty"`

	// The first fields of the nine resources that differ from the render.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Drift []Drift `json:"drift,omitempty"`

	// Conditions of the gateway; the reference lists them all.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}

// Route is a prefix that was observed.
// +kubebuilder:validation:MaxLength=49
type Route string

// NodeID is Headscale's ID of a node.
// +kubebuilder:validation:MaxLength=20
type NodeID string

// DNSStatus is what the gateway answers from.
type DNSStatus struct {
	// The zone's serial.
	// +optional
	Serial int64 `json:"serial,omitempty"`

	// How many names the zone and the extra zones hold.
	// +optional
	Names int32 `json:"names,omitempty"`
}

// RoutePlanStatus identifies the plan that the routes follow.
type RoutePlanStatus struct {
	// SHA-256 of the planned routes, in hexadecimal digits.
	// +required
	// +kubebuilder:validation:MaxLength=64
	Hash string `json:"hash"`

	// When the plan last changed.
	// +required
	At metav1.Time `json:"at"`
}

// Drift is a field that differs from the render.
type Drift struct {
	// Kind of the object.
	// +required
	// +kubebuilder:validation:MaxLength=63
	Kind string `json:"kind"`

	// Name of the object.
	// +required
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Path of the field. Empty for the whole object.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	Path string `json:"path,omitempty"`
}
