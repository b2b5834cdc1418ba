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

	live *corev1.Secret // whose other content stays
}

// SecretOf reads a Secret, but for the Prefix.
func SecretOf(s *corev1.Secret) Secret {
	out := Secret{Object: observe.SecretOf(s), Key: sealed.New(s.Data[api.WorkingKeySecretKey]), live: s}
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

// with is the Secret with another key: the one that was read, so that it is
// replaced only as it was, or a new one.
func (s Secret) with(tailnet string, key sealed.Bytes, listed Listed, replaced []string) *corev1.Secret {
	next := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: api.WorkingKeySecretName(tailnet), Labels: map[string]string{api.LabelTailnet: tailnet}},
		Type:       corev1.SecretTypeOpaque,
	}
	if s.live != nil {
		next = s.live.DeepCopy()
	}
	if next.Annotations == nil {
		next.Annotations = map[string]string{}
	}
	next.Annotations[api.AnnotationKeyID] = string(listed.ID)
	next.Annotations[api.AnnotationKeyExpires] = expiry.Format(listed.Expires)
	next.Annotations[api.AnnotationKeysReplaced] = strings.Join(replaced, ",")
	if next.Data == nil {
		next.Data = map[string][]byte{}
	}
	next.Data[api.WorkingKeySecretKey] = key.Open()
	return next
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
