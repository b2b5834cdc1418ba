package tailnet

import (
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/expiry"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/api"
)

// Secret is the working key's Secret.
type Secret struct {
	observe.Object
	Key    sealed.Bytes // empty where there is none
	Prefix string       // its public part; empty for what Headscale cannot have made

	// As recorded, and public.
	ID       node.ID   // Headscale's ID of the key
	Expires  time.Time // the zero time where none is recorded
	Replaced []string  // prefixes of the keys before it, the latest last
}

// SecretOf reads a Secret, but for the Prefix.
func SecretOf(s *corev1.Secret) Secret {
	out := Secret{Object: observe.SecretOf(s), Key: sealed.New(s.Data[api.WorkingKeySecretKey])}
	out.ID, _ = node.ParseID(s.Annotations[api.AnnotationKeyID])
	out.Expires, _ = expiry.Parse(s.Annotations[api.AnnotationKeyExpires])
	out.Replaced = prefixes(s.Annotations[api.AnnotationKeysReplaced])
	return out
}

// Of reports whether the Secret says that it is the minter's for a Tailnet, and
// can still be. Another is neither used nor replaced: it is somebody else's, or on
// its way out.
func (s Secret) Of(tailnet string) bool {
	return s.Labels[api.LabelTailnet] == tailnet && !s.Immutable && !s.Deleting
}

// write is the Secret with a key.
func write(tailnet string, s Secret) *corev1.Secret {
	notes := map[string]string{
		api.AnnotationKeyID:      string(s.ID),
		api.AnnotationKeyExpires: expiry.Format(s.Expires),
	}
	if len(s.Replaced) > 0 {
		notes[api.AnnotationKeysReplaced] = strings.Join(s.Replaced, ",")
	}
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:            api.WorkingKeySecretName(tailnet),
			ResourceVersion: s.Revision,
			Labels:          map[string]string{api.LabelTailnet: tailnet},
			Annotations:     notes,
		},
		Type: corev1.SecretTypeOpaque,
		Data: map[string][]byte{api.WorkingKeySecretKey: s.Key.Open()},
	}
}

// maxReplaced bounds how many prefixes are recorded. Those before have expired by
// themselves, or will.
const maxReplaced = 8

// prefixes reads the record of replaced keys. What is no prefix is left out: it
// would be sent to Headscale.
func prefixes(text string) []string {
	var all []string
	for p := range strings.SplitSeq(text, ",") {
		if isPrefix(p) && !slices.Contains(all, p) {
			all = append(all, p)
		}
	}
	return all[max(0, len(all)-maxReplaced):]
}

func isPrefix(s string) bool {
	const longest = 64
	return s != "" && len(s) <= longest && !strings.ContainsFunc(s, func(c rune) bool {
		return (c < 'a' || 'z' < c) && (c < 'A' || 'Z' < c) && (c < '0' || '9' < c) && c != '-' && c != '_'
	})
}
