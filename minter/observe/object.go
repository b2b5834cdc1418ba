package observe

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/renderer/api"
)

// Object is what matters of an object of the minter's own, beside its content.
type Object struct {
	UID, Revision string // Revision is the resourceVersion
	Created       time.Time
	Labels        map[string]string
	Immutable     bool
	Deleting      bool
}

// Of reports whether the object says that it belongs to the gateway with a UID.
func (o Object) Of(gatewayUID string) bool { return o.Labels[api.LabelGatewayUID] == gatewayUID }

func objectOf(m metav1.Object, immutable *bool) Object {
	return Object{
		UID:       string(m.GetUID()),
		Revision:  m.GetResourceVersion(),
		Created:   m.GetCreationTimestamp().Time,
		Labels:    m.GetLabels(),
		Immutable: immutable != nil && *immutable,
		Deleting:  m.GetDeletionTimestamp() != nil,
	}
}

// SecretOf and ConfigMapOf leave the content out.
func SecretOf(s *corev1.Secret) Object       { return objectOf(s, s.Immutable) }
func ConfigMapOf(c *corev1.ConfigMap) Object { return objectOf(c, c.Immutable) }

// Registry is the ConfigMap tsunaro-bindings.
type Registry struct {
	Revision string
	Data     map[string]string
}

// RegistryOf reads the bindings registry.
func RegistryOf(c *corev1.ConfigMap) Registry {
	return Registry{Revision: c.ResourceVersion, Data: c.Data}
}

// State is GW-state: whose it is, and the public side of what is in it.
type State struct {
	Object
	Content  proof.Content
	Identity proof.State
	Readable bool // an identity could be derived
}

// StateOf reads the state Secret. The private keys stay behind (MT-05).
func StateOf(s *corev1.Secret) State {
	state := State{Object: SecretOf(s)}
	about := proof.Secret{Immutable: state.Immutable, Deleting: state.Deleting}
	for key := range s.Data {
		about.Keys = append(about.Keys, key)
	}
	state.Content = proof.ContentOf(about)
	if identity, err := proof.Read(s.Data); err == nil {
		state.Identity, state.Readable = identity, true
	}
	return state
}

// AuthRecord is GW-auth-receipt. Err is the error of receipt.DecodeAuth, and the
// Receipt is empty then.
type AuthRecord struct {
	Object
	Receipt receipt.Auth
	Err     error
}

// AuthRecordOf reads an auth receipt.
func AuthRecordOf(c *corev1.ConfigMap) AuthRecord {
	r := AuthRecord{Object: ConfigMapOf(c)}
	text, ok := content(c)
	if !ok {
		r.Err = receipt.ErrAuth
		return r
	}
	r.Receipt, r.Err = receipt.DecodeAuth([]byte(text))
	return r
}

// Completion is GW-fresh. Err is the error of receipt.DecodeCompletion, and the
// Receipt is empty then.
type Completion struct {
	Object
	Receipt receipt.Completion
	Err     error
}

// CompletionOf reads a completion receipt.
func CompletionOf(c *corev1.ConfigMap) Completion {
	r := Completion{Object: ConfigMapOf(c)}
	text, ok := content(c)
	if !ok {
		r.Err = receipt.ErrCompletion
		return r
	}
	r.Receipt, r.Err = receipt.DecodeCompletion([]byte(text))
	return r
}

// content is the one value that a receipt's ConfigMap holds: anything beside it
// was put there by somebody else.
func content(c *corev1.ConfigMap) (string, bool) {
	text, ok := c.Data[api.DataReceipt]
	return text, ok && len(c.Data) == 1 && len(c.BinaryData) == 0
}
