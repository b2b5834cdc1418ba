// Package v1alpha1 holds the Go types of the tsunaro.io/v1alpha1 API, from
// which the CRDs in renderer/crd and the API reference are generated.
//
// Each rule that one object can carry is a CEL rule here, with the text of the
// same rule in package rules (CF-07). Rules about several objects are known to
// the renderer only. The comments of the fields are what `kubectl explain`
// shows: what the field is, its default, and its class (UP-01):
//
//   - Identity: a change needs a new node or a new shape, and is reported as
//     IdentityChanged.
//   - Pinned: a change blocks until it is reverted (FreshBlocked).
//   - Mutable: a change is carried out.
//
// +kubebuilder:object:generate=true
// +groupName=tsunaro.io
package v1alpha1
