package receipt

import (
	"testing"

	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// A value that was seen elsewhere is held against what a receipt has hashed.
//
// REQ: TD-02
func TestHolds(t *testing.T) {
	g := &v1alpha1.TailnetGateway{}
	g.Name, g.Spec.Tags = "lab-gw", []v1alpha1.Tag{"tag:a", "tag:b"}
	i := GatewayIdentity(g)
	for _, c := range []struct {
		path  string
		value any
		want  bool
	}{
		{"spec.hostname", "lab-gw", true}, // the default
		{"spec.hostname", "other", false},
		{"spec.hostname", nil, false},
		{"spec.tags", []string{"tag:a", "tag:b"}, true},
		{"spec.tags", []string{"tag:b", "tag:a"}, false},
		{"spec.authKeySecretRef.name", "", false}, // nothing is held there
		{"spec.suspend", true, false},             // no identity
	} {
		if got := i.Holds(c.path, c.value); got != c.want {
			t.Errorf("%s %v: %v", c.path, c.value, got)
		}
	}
}
