package labtest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// Gateway is one of the shipped minter, as the cluster and Headscale have it. Objects
// are listed by kind and name, "Role/lab-gw".
type Gateway struct {
	*World
	Name string
}

// kinds are those of the nine.
var kinds = []string{"ConfigMap", "Service", "ServiceAccount", "StatefulSet", "PodDisruptionBudget", "Role", "RoleBinding"}

// Custom is the custom resource; nil if there is none.
func (g Gateway) Custom() *unstructured.Unstructured {
	g.Helper()
	u, err := g.World.Resource(apiserver.Admin, api.KindTailnetGateway, "").Get(g.Context(), g.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		g.Fatal(err)
	}
	return u
}

// Labelled are the objects of some kinds that have the gateway's label.
func (g Gateway) Labelled(kinds ...string) map[string]*unstructured.Unstructured {
	g.Helper()
	all := map[string]*unstructured.Unstructured{}
	for _, kind := range kinds {
		list, err := g.World.Resource(apiserver.Admin, kind, api.DefaultOperatorNamespace).List(g.Context(), metav1.ListOptions{LabelSelector: api.LabelGateway + "=" + g.Name})
		if err != nil {
			g.Fatal(err)
		}
		for _, o := range list.Items {
			all[o.GetKind()+"/"+o.GetName()] = &o
		}
	}
	return all
}

// Nine are what Git renders.
func (g Gateway) Nine() map[string]*unstructured.Unstructured {
	g.Helper()
	all := g.Labelled(kinds...)
	maps.DeleteFunc(all, func(key string, o *unstructured.Unstructured) bool {
		return o.GetKind() == "ConfigMap" && key != g.Zone() // it is the minter's own
	})
	if len(all) != objects.Count {
		g.Fatalf("there are %v", slices.Sorted(maps.Keys(all)))
	}
	return all
}

// Zone is the one of the nine that the minter writes to.
func (g Gateway) Zone() string { return "ConfigMap/" + api.CoreDNSName(g.Name) }

// Records are the minter's own objects about the gateway.
func (g Gateway) Records() map[string]*unstructured.Unstructured {
	g.Helper()
	all := map[string]*unstructured.Unstructured{}
	for _, o := range []struct{ kind, name string }{
		{"Secret", api.StateSecretName(g.Name)}, {"Secret", api.AuthSecretName(g.Name)},
		{"ConfigMap", api.AuthReceiptName(g.Name)}, {"ConfigMap", api.FreshName(g.Name)}, {"ConfigMap", api.BindingsName},
	} {
		u, err := g.World.Resource(apiserver.Admin, o.kind, api.DefaultOperatorNamespace).Get(g.Context(), o.name, metav1.GetOptions{})
		if err != nil {
			g.Fatal(err)
		}
		all[o.kind+"/"+o.name] = u
	}
	return all
}

// UIDs are those of the custom resource, under its kind alone and if it is there, of
// the nine and of the records.
func (g Gateway) UIDs() map[string]types.UID {
	g.Helper()
	all := map[string]types.UID{}
	if u := g.Custom(); u != nil {
		all[api.KindTailnetGateway] = u.GetUID()
	}
	for _, some := range []map[string]*unstructured.Unstructured{g.Nine(), g.Records()} {
		for key, o := range some {
			all[key] = o.GetUID()
		}
	}
	return all
}

// Unreplaced fails if any of these is another one than before, or gone.
func (g Gateway) Unreplaced(before map[string]types.UID) {
	g.Helper()
	now := g.UIDs()
	for key, uid := range before {
		if now[key] != uid {
			g.Errorf("%s is another one", key)
		}
	}
}

// Renewed fails if any of these is the one that was there before: but for the registry,
// which all gateways share.
func (g Gateway) Renewed(before map[string]types.UID) {
	g.Helper()
	now := g.UIDs()
	for key, uid := range before {
		if key != "ConfigMap/"+api.BindingsName && now[key] == uid {
			g.Errorf("%s is that of the gateway before", key)
		}
	}
}

// Written is who wrote what of one of a gateway's objects when: but for its status, which
// controllers write at any time, and which changes the revision of those that have one.
func Written(gateway, kind string, o metav1.Object) string {
	text := fmt.Sprintf("%s generation %d", o.GetUID(), o.GetGeneration())
	for _, m := range o.GetManagedFields() {
		if m.Subresource != "status" {
			text += fmt.Sprintf(", %s %s at %s", m.Operation, m.Manager, m.Time.UTC().Format(time.TimeOnly))
		}
	}
	if !slices.Contains([]string{"StatefulSet", "PodDisruptionBudget", "Pod"}, kind) && o.GetName() != api.LBServiceName(gateway) {
		text += ", revision " + o.GetResourceVersion()
	}
	return text
}

// Writes are who wrote what of the nine when.
func (g Gateway) Writes() map[string]string {
	g.Helper()
	all := map[string]string{}
	for key, o := range g.Nine() {
		all[key] = Written(g.Name, o.GetKind(), o)
	}
	return all
}

// Unwritten fails if anything of the nine was written that is not listed.
func (g Gateway) Unwritten(before map[string]string, but ...string) {
	g.Helper()
	for key, now := range g.Writes() {
		if was := before[key]; now != was && !slices.Contains(but, key) {
			g.Errorf("%s was written:\nbefore %s\nafter  %s", key, was, now)
		}
	}
}

// Nodes are Headscale's IDs of the nodes that the gateway has registered: they have its
// hostname, whatever name Headscale has given them.
func (g Gateway) Nodes() (ids []string) {
	g.Helper()
	all, err := g.Headscale().Nodes(g.Context())
	if err != nil {
		g.Fatal(err)
	}
	for _, n := range all {
		if n.Name == g.Name {
			ids = append(ids, n.ID)
		}
	}
	return ids
}

// AwaitGone waits until the custom resource is gone, and fails if there is more.
func (g Gateway) AwaitGone() {
	g.Helper()
	g.Await(g.Name+" is gone", func(context.Context) error {
		if g.Custom() != nil {
			return errors.New("it is there")
		}
		return nil
	})
	g.Gone()
}

// Gone fails if there is a trace of the gateway, here or at Headscale.
func (g Gateway) Gone() {
	g.Helper()
	if left := g.Labelled(append([]string{"Pod", "Secret"}, kinds...)...); len(left) > 0 {
		g.Errorf("%v are left", slices.Sorted(maps.Keys(left)))
	}
	if nodes := g.Nodes(); len(nodes) > 0 {
		g.Errorf("Headscale has the nodes %s", nodes)
	}
}
