package clustertest

import (
	"testing"

	"tsunaro.io/gateway/renderer/api"
)

// values are those of a condition's text.
type values = map[string]string

// Worlds are situations that a gateway may be in, by their names.
func Worlds(t testing.TB) map[string]World {
	t.Helper()
	healthy := Completed(t)
	worlds := map[string]World{
		"healthy":       healthy,
		"minter-down":   minterDown(t, healthy),
		"drifted":       says(t, drifted(t, healthy), api.ConditionInSync, api.ReasonDrifted, values{"object": "Service/tsunaro-system/lab-dns", "path": "spec.ports[dns-tcp].port"}),
		"unreported":    minterDown(t, drifted(t, healthy)),
		"mended":        mended(t, healthy),
		"missing":       healthy.Without(t, "PodDisruptionBudget", Namespace, Gateway),
		"replaced":      edited(t, healthy, "Role", Gateway, "metadata", "uid", UID(99)),
		"behind":        behind(t, healthy),
		"zone-behind":   zoneBehind(t, healthy),
		"forged-serial": forged(t, healthy),
		"not-approved":  notApproved(t, healthy),
		"pod-stale":     says(t, healthy, api.ConditionWorkloadCurrent, api.ReasonPodTemplateStale, values{"pod": "lab-gw-0", "routes": "192.168.11.0/24"}),
		"no-address":    noAddress(t, healthy),
		"new-spec":      edited(t, healthy, "TailnetGateway", Gateway, "metadata", "generation", 4),
		"refused":       refused(t, healthy),
		"blocked":       blocked(t, healthy),
		"bootstrapping": bootstrapping(t, healthy),
		"suspended":     suspended(t, healthy),
		"no-secrets":    denied(healthy, "/secrets/"),
		"partial":       denied(healthy, "/secrets/", "/services/lab-dns/", "/tailnetegresses/", "/configmaps/lab-gw-fresh/", "/deployments/", "/leases/"),
		"gateways-only": denied(healthy, "/api/", "/tailnets/", "/namespaces/"),
		"no-rights":     denied(healthy, "/"),
		"no-crds":       {Objects: map[string]map[string]any{}},
		"down":          {Down: true},
	}
	worlds["several"] = several(t, worlds)
	return worlds
}

func denied(w World, parts ...string) World {
	w.Denied = parts
	return w
}

// edited sets a field of a part of an object.
func edited(t testing.TB, w World, kind, name, part, field string, value any) World {
	t.Helper()
	namespace := Namespace
	if kind == "TailnetGateway" || kind == "Tailnet" {
		namespace = ""
	}
	return w.With(t, kind, namespace, name, func(o map[string]any) map[string]any {
		o[part].(map[string]any)[field] = value
		return o
	})
}

// says replaces what a condition of the gateway says; without a reason it is removed.
func says(t testing.TB, w World, conditionType, reason string, v values) World {
	t.Helper()
	return w.With(t, "TailnetGateway", "", Gateway, func(o map[string]any) map[string]any {
		status := o["status"].(map[string]any)
		var kept []any
		for _, c := range status["conditions"].([]any) {
			if c.(map[string]any)["type"] != conditionType {
				kept = append(kept, c)
			}
		}
		if reason != "" {
			kept = append(kept, decode(t, encode(t, Said(api.KindTailnetGateway, conditionType, reason, v))))
		}
		status["conditions"] = kept
		return o
	})
}

func minterDown(t testing.TB, w World) World {
	return edited(t, w, "Deployment", api.MinterName, "status", "availableReplicas", 0)
}

// drifted is a Service whose second port somebody changed.
func drifted(t testing.TB, w World) World {
	return w.With(t, "Service", Namespace, "lab-dns", func(o map[string]any) map[string]any {
		o["spec"].(map[string]any)["ports"].([]any)[1].(map[string]any)["port"] = 5353
		return o
	})
}

// behind is a StatefulSet that the engine has not synced.
func behind(t testing.TB, w World) World {
	w = w.With(t, "StatefulSet", Namespace, Gateway, func(o map[string]any) map[string]any {
		template := o["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
		template["containers"].([]any)[1].(map[string]any)["image"] = "registry.example/coredns:old"
		return o
	})
	w = says(t, w, api.ConditionWorkloadCurrent, api.ReasonTemplateOutOfSync, values{"object": "StatefulSet/tsunaro-system/lab-gw"})
	return says(t, w, api.ConditionInSync, api.ReasonEngineBehind, values{
		"object": "StatefulSet/tsunaro-system/lab-gw", "path": "spec.template.spec.containers[coredns].image"})
}

// zoneBehind is a hosts source that nobody has followed, because no minter runs.
func zoneBehind(t testing.TB, w World) World {
	return edited(t, minterDown(t, w), "ConfigMap", "tailnet-dns-hosts", "data", "hosts", "192.168.10.9 printer.lab.example\n")
}

// mended is a gateway that was wrong when a minter last looked, and is not any more.
func mended(t testing.TB, w World) World {
	w = says(t, w, api.ConditionInSync, api.ReasonDrifted, values{"object": "Service/tsunaro-system/lab-dns", "path": "spec.ports[dns-tcp].port"})
	return minterDown(t, says(t, w, api.ConditionDNSReady, api.ReasonHostsMissing, values{"object": "ConfigMap/tsunaro-system/tailnet-dns-hosts", "key": "hosts"}))
}

// forged is a serial that does not belong to the zone.
func forged(t testing.TB, w World) World {
	w = w.With(t, "ConfigMap", Namespace, api.CoreDNSName(Gateway), func(o map[string]any) map[string]any {
		o["metadata"].(map[string]any)["annotations"].(map[string]any)[api.AnnotationDNSSerial] = "9"
		return o
	})
	object := "ConfigMap/tsunaro-system/lab-gw-coredns"
	path := "metadata.annotations[tsunaro.io/dns-serial]"
	w = says(t, w, api.ConditionInSync, api.ReasonDrifted, values{"object": object, "path": path})
	return says(t, w, api.ConditionDNSReady, api.ReasonDNSUpdateBlocked, values{
		"object": object, "problem": "its serial and hash do not belong to its data", "path": path})
}

func notApproved(t testing.TB, w World) World {
	w = edited(t, w, "TailnetGateway", Gateway, "status", "approvedRoutes", []string{"10.99.0.0/24"})
	w = edited(t, w, "TailnetGateway", Gateway, "status", "staleRoutes", []string{"172.16.0.0/16"})
	return says(t, w, api.ConditionRoutesInSync, api.ReasonNotApproved, values{"routes": "192.168.10.0/24", "stale": "172.16.0.0/16"})
}

// noAddress is a Service that no load balancer gives an address.
func noAddress(t testing.TB, w World) World {
	w = w.With(t, "Service", Namespace, api.LBServiceName(Gateway), func(o map[string]any) map[string]any {
		o["status"] = map[string]any{"loadBalancer": map[string]any{}}
		return o
	})
	w = w.With(t, "TailnetGateway", "", Gateway, func(o map[string]any) map[string]any {
		delete(o["status"].(map[string]any), "serviceIP")
		return o
	})
	return says(t, w, api.ConditionServiceReady, api.ReasonLBPending, values{"object": "Service/tsunaro-system/lab-gw-lb"})
}

// unready takes away what a gateway that is not complete says nothing of.
func unready(t testing.TB, w World) World {
	w = says(t, w, api.ConditionRoutesInSync, api.ReasonNotReady, nil)
	w = says(t, w, api.ConditionDNSReady, api.ReasonDNSNotCompared, nil)
	w = says(t, w, api.ConditionWorkloadCurrent, "", nil)
	return says(t, w, api.ConditionServiceReady, "", nil)
}

// refused is a spec that the renderer refuses.
func refused(t testing.TB, w World) World {
	w = edited(t, w, "TailnetGateway", Gateway, "spec", "tags", []string{"gateway"})
	w = says(t, w, api.ConditionReady, api.ReasonSpecRefused, values{
		"object": "TailnetGateway/lab-gw", "path": "spec.tags[0]", "must": "must be tag: and a name of lower-case letters", "rule": "tag"})
	return says(t, unready(t, w), api.ConditionStalled, api.ReasonBlocked, values{"reason": api.ReasonSpecRefused})
}

// blocked is a gateway in whose way a Secret is.
func blocked(t testing.TB, w World) World {
	w = says(t, w, api.ConditionReady, api.ReasonFreshBlocked, values{
		"object": "Secret/tsunaro-system/lab-gw-auth", "problem": "is there already, and is not this gateway's",
		"command": "kubectl delete secret --namespace=tsunaro-system lab-gw-auth", "path": "",
	})
	w = says(t, unready(t, w), api.ConditionStalled, api.ReasonBlocked, values{"reason": api.ReasonFreshBlocked})
	return phase(t, w, api.PhaseOpen).Without(t, "ConfigMap", Namespace, api.FreshName(Gateway)).Without(t, "Pod", Namespace, Gateway+"-0")
}

// phase sets the phase of the gateway's entry.
func phase(t testing.TB, w World, to string) World {
	return edited(t, w, "ConfigMap", api.BindingsName, "data", api.BindingKey(Gateway, api.BindingPhase), to)
}

// bootstrapping is a gateway whose nine may be created now.
func bootstrapping(t testing.TB, w World) World {
	for kind, names := range map[string][]string{
		"ServiceAccount": {Gateway}, "Role": {Gateway}, "RoleBinding": {Gateway}, "ConfigMap": {api.CoreDNSName(Gateway), api.FreshName(Gateway)},
		"Service": {Gateway, "lab-dns", api.LBServiceName(Gateway)}, "PodDisruptionBudget": {Gateway}, "StatefulSet": {Gateway}, "Pod": {Gateway + "-0"},
	} {
		for _, name := range names {
			w = w.Without(t, kind, Namespace, name)
		}
	}
	w = phase(t, w, api.PhaseOpen).With(t, "TailnetGateway", "", Gateway, func(o map[string]any) map[string]any {
		o["status"] = map[string]any{"observedGeneration": 3, "conditions": []any{}}
		return o
	})
	for _, c := range []struct {
		conditionType, reason string
		values                values
	}{
		{api.ConditionReady, api.ReasonAwaitingResources, nil}, {api.ConditionReconciling, api.ReasonAwaiting, values{"reason": api.ReasonAwaitingResources}},
		{api.ConditionBound, api.ReasonBindingOpen, nil}, {api.ConditionRegistered, api.ReasonNotRegistered, nil},
		{api.ConditionRoutesInSync, api.ReasonNotReady, nil},
		{api.ConditionDNSReady, api.ReasonDNSUpdateBlocked, values{"object": "ConfigMap/tsunaro-system/lab-gw-coredns", "problem": "the gateway is not complete yet"}},
		{api.ConditionInSync, api.ReasonResourcesMissing, values{"object": "ServiceAccount/tsunaro-system/lab-gw"}},
		{api.ConditionStaleNodes, api.ReasonExternallyManaged, nil},
	} {
		w = says(t, w, c.conditionType, c.reason, c.values)
	}
	return w
}

func suspended(t testing.TB, w World) World {
	w = edited(t, w, "TailnetGateway", Gateway, "spec", "suspend", true)
	w = says(t, says(t, unready(t, w), api.ConditionReady, api.ReasonSuspended, nil), api.ConditionRoutesInSync, api.ReasonSuspended, nil)
	for _, c := range []string{api.ConditionBound, api.ConditionRegistered, api.ConditionDNSReady, api.ConditionInSync} {
		w = says(t, w, c, api.ReasonSuspended, nil)
	}
	return w
}

// several are gateways of one cluster, each in another situation.
func several(t testing.TB, worlds map[string]World) World {
	w := worlds["healthy"].Without(t, "TailnetGateway", "", Gateway)
	for name, from := range map[string]string{"attic": "blocked", "cellar": "suspended", "lab-gw": "healthy", "shed": "drifted", "yard": "bootstrapping"} {
		o := decode(t, encode(t, worlds[from].Objects[path("TailnetGateway", "", Gateway)]))
		o["metadata"].(map[string]any)["name"] = name
		w.Put(t, o)
	}
	return w
}
