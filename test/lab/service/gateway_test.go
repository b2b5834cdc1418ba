//go:build lab && linux

package service

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

type object = labtest.Object

// gateway is one of the tests', with what Git says about it.
type gateway struct {
	*labtest.World
	name, namespace    string
	cr, tailnet, hosts object
	zone               *zoneLog
}

// homeLab is the gateway of examples/home-lab. Nothing is applied yet.
func homeLab(w *labtest.World) *gateway {
	w.Helper()
	g := &gateway{World: w, name: "lab-gw", namespace: guarded}
	for _, o := range w.Objects(w.Example("home-lab", labtest.HomeLayer)) {
		u := unstructured.Unstructured{Object: o}
		switch {
		case u.GetKind() == api.KindTailnetGateway:
			g.cr = o
		case u.GetKind() == api.KindTailnet:
			g.tailnet = o
		case u.GetLabels()[api.LabelTailnet] != "":
			g.hosts = o
		}
	}
	g.zone = g.watchZone()
	return g
}

// freeGateway is one where no policy applies. What Git says about it carries the keys
// of engines.
func freeGateway(w *labtest.World) *gateway {
	w.Helper()
	const name, tailnet = "free-gw", "free"
	g := &gateway{World: w, name: name, namespace: free}
	g.tailnet = object{
		"apiVersion": api.APIVersion, "kind": api.KindTailnet, "metadata": tracked(object{"name": tailnet}),
		"spec": object{
			"operatorNamespace": free, "controlURL": lab.HeadscaleURL,
			"caBundleConfigMapRef": object{"name": "headscale-ca"}, "dns": object{"hostsConfigMapRef": object{"name": "free-hosts"}},
		},
	}
	g.hosts = object{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": tracked(object{"name": "free-hosts", "namespace": free, "labels": object{api.LabelTailnet: tailnet}}),
		"data": object{api.DefaultHostsKey: "192.168.10.8  printer.free.example\n"},
	}
	g.cr = object{
		"apiVersion": api.APIVersion, "kind": api.KindTailnetGateway, "metadata": tracked(object{"name": name}),
		"spec": object{
			"suspend": false, "tailnetRef": object{"name": tailnet}, "tags": []any{"tag:free"},
			"routes": object{"lan": []any{"192.168.40.0/24"}}, "tailnetLBCIDR": "10.99.0.0/24", "loadBalancerIP": "10.99.0.54",
			"poolLabels": object{"lab.example/pool": "lan"},
			"dns":        object{"zone": "free.example", "serviceName": "free-dns", "clusterIP": "10.96.0.54"},
			"pod":        object{"sysctls": []any{object{"name": "net.ipv4.ip_forward", "value": "1"}}},
		},
	}
	g.zone = g.watchZone()
	return g
}

// tracking are labels and annotations by which engines know what is theirs to prune
// or to force.
var tracking = struct{ labels, annotations object }{
	object{"kustomize.toolkit.fluxcd.io/name": "apps", "kustomize.toolkit.fluxcd.io/namespace": "flux-system", "app.kubernetes.io/instance": "apps"},
	object{"argocd.argoproj.io/tracking-id": "apps:x", "kustomize.toolkit.fluxcd.io/prune": "enabled", "kustomize.toolkit.fluxcd.io/force": "enabled"},
}

// tracked is metadata with those keys.
func tracked(metadata object) object {
	labels := maps.Clone(tracking.labels)
	own, _ := metadata["labels"].(object)
	maps.Copy(labels, own)
	metadata["labels"], metadata["annotations"] = labels, maps.Clone(tracking.annotations)
	return metadata
}

// runs is a test of the gateway.
func (g *gateway) runs(do func(*gateway)) func(*testing.T) {
	return func(t *testing.T) { do(g.in(t)) }
}

// within is the same gateway for another test.
func (g *gateway) within(w *labtest.World) *gateway {
	is := *g
	is.World = w
	return &is
}

func (g *gateway) in(t *testing.T) *gateway { return g.within(g.In(t)) }

// step runs a part of a test, which has to succeed.
func (g *gateway) step(name string, do func(*gateway)) {
	g.Helper()
	t, ok := g.TB.(*testing.T)
	if !ok || !t.Run(name, func(t *testing.T) { do(g.in(t)) }) {
		g.FailNow()
	}
}

func (g *gateway) minter() *labtest.Minter { return shared.minters[g.namespace] }

func (g *gateway) pod() string { return g.name + "-0" }

// names stand for the gateway's name, its namespace and its DNS Service in texts of
// tests.
var names = regexp.MustCompile(`\bGW\b|\bNS\b|\bSVC\b`)

// fill writes the gateway's own names into a text.
func (g *gateway) fill(text string) string {
	service, _, _ := unstructured.NestedString(g.cr, "spec", "dns", "serviceName")
	return names.ReplaceAllStringFunc(text, func(name string) string {
		return map[string]string{"GW": g.name, "NS": g.namespace, "SVC": service}[name]
	})
}

func (g *gateway) fillAll(texts []string) []string {
	filled := make([]string, len(texts))
	for i, t := range texts {
		filled[i] = g.fill(t)
	}
	return filled
}

// kubectl is a person's.
func (g *gateway) kubectl(input string, args ...string) apiserver.Result {
	g.Helper()
	return g.Kubectl(apiserver.Person, input, g.fillAll(args)...)
}

// must is a kubectl that has to succeed.
func (g *gateway) must(input string, args ...string) {
	g.Helper()
	g.World.Must(apiserver.Person, input, g.fillAll(args)...)
}

// commit lets the engine apply the custom resource as it stands in Git.
func (g *gateway) commit() {
	g.Helper()
	if err := g.Put(g.Context(), apiserver.FluxEngine, g.cr); err != nil {
		g.Fatal(err)
	}
}

// set changes a field of the spec in Git and lets the engine apply that.
func (g *gateway) set(value any, path ...string) {
	g.Helper()
	if err := unstructured.SetNestedField(g.cr, value, append([]string{"spec"}, path...)...); err != nil {
		g.Fatal(err)
	}
	g.commit()
}

// nine are the resources as they are rendered. Where no policy fills in the UIDs the
// function does, from a copy of the registry.
func (g *gateway) nine() []object {
	g.Helper()
	docs := []object{g.tailnet, g.hosts, g.cr}
	if g.namespace == free {
		docs = append(docs, g.registry())
	}
	return g.Render(docs...)
}

// registry is a copy of the registry with this gateway's entry alone.
func (g *gateway) registry() object {
	g.Helper()
	m, err := g.Client(apiserver.Admin).CoreV1().ConfigMaps(g.namespace).Get(g.Context(), api.BindingsName, metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	data := object{}
	for _, field := range []string{api.BindingGatewayUID, api.BindingStateUID, api.BindingPhase} {
		if value, ok := m.Data[api.BindingKey(g.name, field)]; ok {
			data[api.BindingKey(g.name, field)] = value
		}
	}
	return object{"apiVersion": "v1", "kind": "ConfigMap", "metadata": object{"name": api.BindingsName, "namespace": g.namespace}, "data": data}
}

// engine applies the nine until they are taken.
func (g *gateway) engine() {
	g.Helper()
	g.Await("the nine of "+g.name+" are applied", func(ctx context.Context) error {
		return g.Put(ctx, apiserver.FluxEngine, g.nine()...)
	})
}

// await waits until the gateway's status is about the present generation, and as
// wanted.
func (g *gateway) await(what string, is func(seen) error) seen {
	g.Helper()
	return shared.view.await(g, g.name, what, func(s seen) error {
		switch {
		case s.gone:
			return errors.New("it is not there")
		case !s.current():
			return errors.New("its status is about an earlier generation")
		}
		return is(s)
	})
}

// says waits until a condition has a reason, and its message holds all texts.
func (g *gateway) says(conditionType, reason string, texts ...string) seen {
	g.Helper()
	texts = g.fillAll(texts)
	return g.await(fmt.Sprintf("says %s %s %q", conditionType, reason, texts), func(s seen) error {
		return said(s.condition(conditionType), reason, texts)
	})
}

func said(c metav1.Condition, reason string, texts []string) error {
	if c.Reason != reason {
		return fmt.Errorf("it is %q", c.Reason)
	}
	for _, t := range texts {
		if !strings.Contains(c.Message, t) {
			return fmt.Errorf("the message lacks %q: %s", t, c.Message)
		}
	}
	return nil
}

// still checks that a condition has had one reason, and nothing else, since a time.
func (g *gateway) still(from time.Time, conditionType, reason string) {
	g.Helper()
	for _, s := range shared.view.since(g.name, from) {
		if c := s.condition(conditionType); c.Reason != reason {
			g.Errorf("%s was %s/%s at %s: %s", conditionType, c.Status, c.Reason, s.at.Format(time.TimeOnly), c.Message)
			return
		}
	}
}
