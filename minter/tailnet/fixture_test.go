package tailnet

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/expiry"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// start is when each test begins.
var start = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// Keys of the tests: the prefix is the first part.
const (
	userKey   = "user-secretbytes"
	firstKey  = "first-secretbytes"
	secondKey = "second-secretbytes"
)

func prefixOf(key string) string {
	prefix, _, _ := strings.Cut(key, "-")
	return prefix
}

func aTailnet() *v1alpha1.Tailnet {
	return &v1alpha1.Tailnet{
		ObjectMeta: metav1.ObjectMeta{Name: "home", UID: "tailnet-uid", Generation: 3, ResourceVersion: "1"},
		Spec: v1alpha1.TailnetSpec{
			OperatorNamespace: "gateways", ControlURL: "https://headscale.example",
			CABundleConfigMapRef: &v1alpha1.CABundleRef{Name: "headscale-ca", Key: "ca.crt"},
			BootstrapSecretRef:   v1alpha1.BootstrapRef{Name: "headscale-bootstrap", Key: "apikey"},
			DNS:                  v1alpha1.TailnetDNS{HostsConfigMapRef: v1alpha1.HostsRef{Name: "hosts-of-home", Key: "hosts"}},
		},
	}
}

// liveSecret is a working key's Secret as it is stored.
func liveSecret(key string, expires time.Time, replaced ...string) *corev1.Secret {
	return &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name: "home-apikey", UID: "secret-uid", ResourceVersion: "7", Labels: map[string]string{api.LabelTailnet: "home"},
			Annotations: map[string]string{
				api.AnnotationKeyID: "5", api.AnnotationKeyExpires: expiry.Format(expires),
				api.AnnotationKeysReplaced: strings.Join(replaced, ","), "x.example/y": "z",
			},
		},
		Data: map[string][]byte{api.WorkingKeySecretKey: []byte(key)},
	}
}

func secretWith(key string, expires time.Time, replaced ...string) observe.Fact[Secret] {
	s := SecretOf(liveSecret(key, expires, replaced...))
	s.Prefix = prefixOf(key)
	return observe.Known(s)
}

func listed(id node.ID, key string, expires time.Time) Listed {
	return Listed{ID: id, Prefix: prefixOf(key), Expires: expires}
}

func accepts(keys ...Listed) Answer { return Answer{Reply: Accepted, Keys: keys} }

func bootstrapWith(key string) observe.Fact[Bootstrap] {
	return observe.Known(Bootstrap{Key: sealed.New(key), Prefix: prefixOf(key)})
}

var (
	userListed = listed("1", userKey, start.Add(90*day))
	full       = start.Add(Lifetime)
)

// current is a Tailnet at rest: its key is accepted and has just been made.
func current() World {
	return World{
		Now: start, Tailnet: aTailnet(),
		CABundle: observe.Known("pem"), Hosts: observe.Known(struct{}{}), Bootstrap: bootstrapWith(userKey),
		Secret: secretWith(firstKey, full), Answer: accepts(userListed, listed("5", firstKey, full)),
	}
}

// fresh is a Tailnet that has no key yet.
func fresh() World {
	w := current()
	w.Secret, w.Answer = observe.Absent[Secret](), Answer{}
	return w
}

// ageing is a Tailnet whose key is due.
func ageing() World {
	w := current()
	left := start.Add(renewal)
	w.Secret, w.Answer = secretWith(firstKey, left), accepts(userListed, listed("5", firstKey, left))
	return w
}

// holding is a World whose process holds a key that Headscale accepts.
func holding(w World) World {
	w.Memory.UID = string(w.Tailnet.UID)
	w.Memory.Minted = Minted{Key: sealed.New(secondKey), Prefix: prefixOf(secondKey)}
	w.Memory.Mints, w.Memory.Last = 1, w.Now
	keys := append([]Listed{userListed}, w.Answer.Keys...)
	w.Proof = accepts(append(keys, listed("6", secondKey, full))...)
	return w
}
