package v1alpha1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A TailnetEgress names destinations outside the tailnet. Each literal IPv4
// address becomes a /32 route of every gateway of the Tailnet that advertises
// egress targets. It counts only in the Tailnet's operator namespace.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:scope=Namespaced,shortName=tnegress,categories=tsunaro
// +kubebuilder:printcolumn:name="Tailnet",type=string,JSONPath=`.spec.tailnetRef.name`
// +kubebuilder:printcolumn:name="Targets",type=string,JSONPath=`.spec.targets`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type TailnetEgress struct {
	metav1.TypeMeta `json:",inline"`
	// +optional
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What the egress leads to.
	// +required
	Spec TailnetEgressSpec `json:"spec"`
}

// TailnetEgressList is a list of TailnetEgresses.
//
// +kubebuilder:object:root=true
type TailnetEgressList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []TailnetEgress `json:"items"`
}

// TailnetEgressSpec says what an egress leads to.
type TailnetEgressSpec struct {
	// The Tailnet whose gateways lead there.
	// +required
	TailnetRef TailnetRef `json:"tailnetRef"`

	// Literal IPv4 addresses, and DNS names. Names are not resolved and add no
	// route.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=256
	Targets []Target `json:"targets"`
}

// TailnetRef names a Tailnet.
type TailnetRef struct {
	// Name of the Tailnet.
	// +required
	Name ObjectName `json:"name"`
}
