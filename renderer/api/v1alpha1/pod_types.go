package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// Pod says what a gateway's Pod may use, and where it runs.
type Pod struct {
	// What each container may use. Class: Pinned.
	// +optional
	Resources PodResources `json:"resources,omitzero"`

	// Sysctls of the Pod's own network, for instance net.ipv4.ip_forward, where
	// the node allows them. Class: Pinned.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	// +kubebuilder:validation:XValidation:rule="self.all(s, self.exists_one(t, t.name == s.name))",message="is listed twice: keep one of them"
	Sysctls []Sysctl `json:"sysctls,omitempty"`

	// Taints that the Pod tolerates. Class: Pinned.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Tolerations []Toleration `json:"tolerations,omitempty"`

	// Labels of the nodes that the Pod may run on. Class: Pinned.
	// +optional
	// +kubebuilder:validation:MaxProperties=32
	// +kubebuilder:validation:XValidation:rule="self.all(k, !format.qualifiedName().validate(k).hasValue())",message="must be a label key: an optional DNS subdomain and '/', then at most 63 letters, digits, '-', '_' or '.'"
	NodeSelector map[string]LabelValue `json:"nodeSelector,omitempty"`
}

// PodResources says what each container may use.
type PodResources struct {
	// The Tailscale container. Class: Pinned.
	// +optional
	Tailscale Resources `json:"tailscale,omitzero"`

	// The CoreDNS container. Class: Pinned.
	// +optional
	CoreDNS Resources `json:"coredns,omitzero"`
}

// Resources says what one container may use.
//
// +kubebuilder:validation:XValidation:rule="!has(self.requests) || !has(self.limits) || self.requests.all(k, !(k in self.limits) || !isQuantity(string(self.requests[k])) || !isQuantity(string(self.limits[k])) || quantity(string(self.requests[k])).compareTo(quantity(string(self.limits[k]))) <= 0)",message="must not be more than the limit of the same resource",fieldPath=".requests"
type Resources struct {
	// What the container is sure to get: cpu, memory, ephemeral-storage.
	// Class: Pinned.
	// +optional
	Requests ResourceList `json:"requests,omitempty"`

	// What the container gets at most: cpu, memory, ephemeral-storage.
	// Class: Pinned.
	// +optional
	Limits ResourceList `json:"limits,omitempty"`
}

// ResourceList holds quantities by the name of the resource, each as it was
// written: text such as 250m, or a whole number.
//
// +kubebuilder:validation:MaxProperties=3
// +kubebuilder:validation:XValidation:rule="self.all(k, k in ['cpu', 'memory', 'ephemeral-storage'])",message="must be cpu, memory or ephemeral-storage"
// +kubebuilder:validation:XValidation:rule="self.all(k, isQuantity(string(self[k])) && quantity(string(self[k])).compareTo(quantity('0')) >= 0)",message="must be a quantity such as 250m or 64Mi, not negative"
type ResourceList map[string]intstr.IntOrString

// Sysctl is a kernel parameter of the Pod's own network.
type Sysctl struct {
	// Name. Class: Pinned.
	// +required
	Name SysctlName `json:"name"`

	// Value, without '$'. Class: Pinned.
	// +required
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="!self.contains('$')",message="must not hold '$': Flux would take it for a variable of its own"
	Value string `json:"value"`
}

// Toleration is a toleration of the Pod, as in a Pod's spec.
//
// +kubebuilder:validation:XValidation:rule=`(!has(self.operator) || self.operator in ["", 'Exists', 'Equal']) && (!has(self.effect) || self.effect in ["", 'NoSchedule', 'PreferNoSchedule', 'NoExecute']) && (has(self.key) && self.key != "" ? !format.qualifiedName().validate(self.key).hasValue() : has(self.operator) && self.operator == 'Exists') && (!has(self.value) || self.value == "" || !(has(self.operator) && self.operator == 'Exists') && !format.labelValue().validate(self.value).hasValue()) && (!has(self.tolerationSeconds) || has(self.effect) && self.effect == 'NoExecute')`,message="must be a toleration that Kubernetes accepts: operator Exists (no value) or Equal (with a key); effect NoSchedule, PreferNoSchedule or NoExecute; tolerationSeconds with NoExecute only"
type Toleration struct {
	// Key of the taint. Empty, with Exists, it means every taint. Class: Pinned.
	// +optional
	// +kubebuilder:validation:MaxLength=317
	Key string `json:"key,omitempty"`

	// Equal or Exists. Left out, it is Equal. Class: Pinned.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Operator string `json:"operator,omitempty"`

	// Value of the taint, for Equal. Class: Pinned.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Value string `json:"value,omitempty"`

	// NoSchedule, PreferNoSchedule or NoExecute. Empty means all of them.
	// Class: Pinned.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	Effect string `json:"effect,omitempty"`

	// How long a NoExecute taint is tolerated, in seconds. Left out, it is for
	// ever. Class: Pinned.
	// +optional
	TolerationSeconds *int64 `json:"tolerationSeconds,omitempty"`
}
