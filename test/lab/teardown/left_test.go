//go:build lab && linux

package teardown

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// labelled are the kinds of objects that carry a gateway's UID; derived are those that
// Kubernetes makes of them, and removes in its own time.
var (
	labelledKinds = []schema.GroupVersionKind{
		{Version: "v1", Kind: "ConfigMap"}, {Version: "v1", Kind: "Secret"}, {Version: "v1", Kind: "Service"}, {Version: "v1", Kind: "ServiceAccount"},
		{Version: "v1", Kind: "Pod"}, {Group: "apps", Version: "v1", Kind: "StatefulSet"}, {Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"}, {Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"},
	}
	derivedKinds = []schema.GroupVersionKind{
		{Group: "discovery.k8s.io", Version: "v1", Kind: "EndpointSlice"}, {Group: "apps", Version: "v1", Kind: "ControllerRevision"},
	}
)

// labelled are the objects of the place with a gateway's UID in their labels, by Kind
// and name: the UID of each, and of what nobody else writes the revision too.
func (p *place) labelled(ctx context.Context, kinds []schema.GroupVersionKind, only client.ListOption) (map[string]string, error) {
	all := map[string]string{}
	for _, kind := range kinds {
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(kind)
		if err := shared.admin.List(ctx, list, client.InNamespace(p.Namespace), only); err != nil {
			return nil, err
		}
		for _, o := range list.Items {
			mark := string(o.UID)
			if kind.Kind == "ConfigMap" || kind.Kind == "Secret" {
				mark += " " + o.ResourceVersion
			}
			all[kind.Kind+"/"+o.Name] = mark
		}
	}
	return all, nil
}

// objects are this gateway's.
func (g *gateway) objects() map[string]string {
	g.Helper()
	all, err := g.labelled(g.Context(), labelledKinds, client.MatchingLabels{api.LabelGatewayUID: g.uid})
	if err != nil {
		g.Fatal(err)
	}
	return all
}

// others is everything in the place that belongs to other gateways: objects, entries,
// nodes and keys that can be used.
func (g *gateway) others() map[string]string {
	g.Helper()
	all, err := g.labelled(g.Context(), labelledKinds, client.HasLabels{api.LabelGatewayUID})
	if err != nil {
		g.Fatal(err)
	}
	for name := range g.objects() {
		delete(all, name)
	}
	for key, value := range g.registry() {
		if !strings.HasPrefix(key, api.BindingKey(g.name, "")) {
			all["entry "+key] = value
		}
	}
	at := g.look()
	for _, other := range g.all {
		if other != g {
			all["at Headscale "+other.name] = fmt.Sprint(at.nodes(other), at.usable(other))
		}
	}
	return all
}

// registry is what the place's registry holds.
func (p *place) registry() map[string]string {
	p.Helper()
	var m corev1.ConfigMap
	if _, err := p.Find(p.Context(), api.BindingsName, &m); err != nil {
		p.Fatal(err)
	}
	return m.Data
}

// atHeadscale is what Headscale has.
type atHeadscale struct {
	all  []labtest.Node
	keys []struct {
		ID         node.ID
		Expiration time.Time
		ACLTags    []string
	}
}

// look asks Headscale for everything.
func (p *place) look() (h atHeadscale) {
	p.Helper()
	all, err := shared.headscale.Nodes(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	var list struct{ PreAuthKeys json.RawMessage }
	if err := shared.headscale.Call(p.Context(), http.MethodGet, "/api/v1/preauthkey", nil, &list); err != nil {
		p.Fatal(err)
	}
	if err := json.Unmarshal(list.PreAuthKeys, &h.keys); err != nil {
		p.Fatal(err)
	}
	h.all = all
	return h
}

// nodes are the IDs of the nodes with a gateway's name or its tag.
func (h atHeadscale) nodes(g *gateway) (ids []string) {
	for _, n := range h.all {
		if n.GivenName == g.name || slices.Contains(n.Tags, g.tag) {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// usable are the keys that still make nodes with a gateway's tag.
func (h atHeadscale) usable(g *gateway) (ids []node.ID) {
	for _, k := range h.keys {
		if slices.Contains(k.ACLTags, g.tag) && k.Expiration.After(time.Now()) {
			ids = append(ids, k.ID)
		}
	}
	return ids
}

// remains is what is left of a gateway but for what it may leave: objects with its
// UID, its entry, its node and its key.
func (g *gateway) remains(may ...string) (left []string) {
	g.Helper()
	left = slices.Collect(maps.Keys(g.objects()))
	for key := range g.registry() {
		if strings.HasPrefix(key, api.BindingKey(g.name, "")) {
			left = append(left, "entry")
		}
	}
	at := g.look()
	if len(at.nodes(g)) > 0 {
		left = append(left, "node")
	}
	if len(at.usable(g)) > 0 {
		left = append(left, "key")
	}
	for _, o := range may {
		left = slices.DeleteFunc(left, func(l string) bool { return l == g.own(o) })
	}
	slices.Sort(left)
	return slices.Compact(left)
}

// wantClean wants nothing to be left of a gateway that is gone. What Kubernetes makes
// of its objects goes with them.
func (g *gateway) wantClean() {
	g.Helper()
	if left := g.remains(); len(left) > 0 {
		g.Errorf("%s: left are %v", g.name, left)
	}
	g.Await("nothing with the UID of "+g.name+" is left", func(ctx context.Context) error {
		all, err := g.labelled(ctx, derivedKinds, client.MatchingLabels{api.LabelGatewayUID: g.uid})
		if err == nil && len(all) > 0 {
			err = fmt.Errorf("there are %v", slices.Sorted(maps.Keys(all)))
		}
		return err
	})
}

// wantSame compares what somebody has before and after.
func wantSame(w *labtest.World, what string, before, after map[string]string) {
	w.Helper()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if now, ok := after[name]; !ok {
			w.Errorf("%s: %s is gone", what, name)
		} else if now != before[name] {
			w.Errorf("%s: %s is %s, and was %s", what, name, now, before[name])
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			w.Errorf("%s: %s is new", what, name)
		}
	}
}
