//go:build lab && linux

package service

import (
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/api"
)

// target is one of the nine.
type target struct {
	kind, name string
	drifts     []drift
}

// targets are the nine with what is done to them: two changes of metadata that each of
// them gets, and others that suit its kind: patches, which kubectl edit sends too, replace
// and an apply that forces its way. Deletions come elsewhere.
func targets() []target {
	all := []target{
		{"ServiceAccount", "GW", serviceAccountDrifts},
		{"Role", "GW", roleDrifts},
		{"RoleBinding", "GW", roleBindingDrifts},
		{"ConfigMap", "GW-coredns", configMapDrifts},
		{"Service", "GW", slices.Concat(serviceDrifts("GW"), headlessDrifts)},
		{"Service", "SVC", slices.Concat(serviceDrifts("SVC"), dnsServiceDrifts)},
		{"Service", "GW-lb", slices.Concat(serviceDrifts("GW-lb"), balancerDrifts)},
		{"PodDisruptionBudget", "GW", budgetDrifts},
		{"StatefulSet", "GW", statefulSetDrifts},
	}
	for i := range all {
		all[i].drifts = append(metadataDrifts(all[i].kind, all[i].name), all[i].drifts...)
	}
	return all
}

// on names an object for kubectl.
func on(verb, kind, name string, more ...string) []string {
	return append([]string{verb, strings.ToLower(kind), name, "--namespace=NS"}, more...)
}

// patch is what kubectl edit sends, or a JSON patch.
func patch(kind, name, how, text string) []string {
	return on("patch", kind, name, "--type="+how, "--patch="+text)
}

func metadataDrifts(kind, name string) []drift {
	return []drift{
		{how: "label", args: on("label", kind, name, "tsunaro.io/extra=x"), path: "metadata.labels[tsunaro.io/extra]"},
		{how: "annotate", args: on("annotate", kind, name, "--overwrite", api.AnnotationRenderFormat+"=2"), path: "metadata.annotations[tsunaro.io/render-format]"},
	}
}

var serviceAccountDrifts = []drift{
	{how: "patch", args: patch("ServiceAccount", "GW", "merge", `{"automountServiceAccountToken":true}`), path: "automountServiceAccountToken"},
	{how: "replace", edited: func(o object) { o["secrets"] = []any{object{"name": "somebody-elses"}} }, path: "secrets"},
	{how: "apply", applied: object{"imagePullSecrets": []any{object{"name": "somebody-elses"}}}, path: "imagePullSecrets"},
}

var roleDrifts = []drift{
	{how: "patch", args: patch("Role", "GW", "json", `[{"op":"add","path":"/rules/-","value":{"apiGroups":[""],"resources":["secrets"],"verbs":["list"]}}]`), path: "rules[1]"},
	{how: "replace", edited: func(o object) {
		rule := o["rules"].([]any)[0].(object)
		rule["verbs"] = []any{"get", "update"}
	}, path: "rules[0].verbs[2]"},
	{how: "apply", applied: object{"rules": []any{object{
		"apiGroups": []any{""}, "resources": []any{"secrets"}, "resourceNames": []any{"somebody-elses"}, "verbs": []any{"get", "update", "patch"},
	}}}, path: "rules[0].resourceNames[0]"},
}

var roleBindingDrifts = []drift{
	{how: "patch", args: patch("RoleBinding", "GW", "json", `[{"op":"add","path":"/subjects/-","value":{"kind":"ServiceAccount","name":"somebody","namespace":"NS"}}]`), path: "subjects[somebody]"},
	{how: "replace", edited: func(o object) {
		o["subjects"].([]any)[0].(object)["namespace"] = "default"
	}, path: "subjects[GW].namespace"},
	{how: "apply", applied: object{
		"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "GW"},
		"subjects": []any{object{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": "GW"}},
	}, path: "subjects[GW].apiGroup"},
}

// What is in the zone itself is not compared, but for whether serial and hash belong
// to it; a policy keeps it as it is.
var configMapDrifts = []drift{
	{how: "patch", args: patch("ConfigMap", "GW-coredns", "merge", `{"data":{"more":"x"}}`), path: "data.more"},
	{how: "replace", edited: func(o object) { o["data"].(object)["Corefile.old"] = "x" }, path: "data[Corefile.old]"},
	{how: "apply", applied: object{"binaryData": object{"more": "eA=="}}, path: "binaryData"},
	{
		how: "patch of the zone", args: patch("ConfigMap", "GW-coredns", "merge", `{"data":{"zone.db":"x"}}`),
		path: "metadata.annotations[tsunaro.io/dns-serial]", refused: nobody,
	},
}

// serviceDrifts suit every Service.
func serviceDrifts(name string) []drift {
	return []drift{
		{how: "patch", args: patch("Service", name, "strategic", `{"spec":{"publishNotReadyAddresses":true}}`), path: "spec.publishNotReadyAddresses"},
		{how: "patch of the selector", args: patch("Service", name, "merge", `{"spec":{"selector":{"app":"x"}}}`), path: "spec.selector.app", refused: "tsunaro-"},
		{how: "replace", edited: func(o object) {
			spec := o["spec"].(object)
			spec["ports"] = append(spec["ports"].([]any), object{"name": "more", "port": int64(8053), "protocol": "TCP", "targetPort": int64(8053)})
		}, path: "spec.ports[more]"},
	}
}

var (
	headlessDrifts = []drift{
		{how: "apply", applied: object{"spec": object{"sessionAffinity": "ClientIP"}}, path: "spec.sessionAffinity"},
	}
	dnsServiceDrifts = []drift{
		{how: "apply", applied: object{"spec": object{"internalTrafficPolicy": "Local"}}, path: "spec.internalTrafficPolicy"},
	}
	balancerDrifts = []drift{
		{how: "apply", applied: object{"spec": object{"loadBalancerSourceRanges": []any{"192.168.10.0/24"}}}, path: "spec.loadBalancerSourceRanges"},
		{how: "patch of the traffic policy", args: patch("Service", "GW-lb", "merge", `{"spec":{"externalTrafficPolicy":"Local"}}`), path: "spec.externalTrafficPolicy"},
		{
			how: "label of the pool", args: on("label", "Service", "GW-lb", "lab.example/pool=other", "--overwrite"),
			path: "metadata.labels[lab.example/pool]", reason: api.ReasonEngineBehind, refused: nobody,
		},
	}
)

var budgetDrifts = []drift{
	{how: "patch", args: patch("PodDisruptionBudget", "GW", "merge", `{"spec":{"minAvailable":0}}`), path: "spec.minAvailable"},
	{how: "patch of the selector", args: patch("PodDisruptionBudget", "GW", "merge", `{"spec":{"selector":{"matchLabels":{"app":"x"}}}}`), path: "spec.selector.matchLabels.app", refused: "tsunaro-"},
	{how: "replace", edited: func(o object) {
		spec := o["spec"].(object)
		delete(spec, "minAvailable")
		spec["maxUnavailable"] = int64(1)
	}, path: "spec.maxUnavailable"},
	{how: "apply", applied: object{"spec": object{"unhealthyPodEvictionPolicy": "AlwaysAllow"}}, path: "spec.unhealthyPodEvictionPolicy"},
}

var statefulSetDrifts = []drift{
	{how: "rollout restart", args: []string{"rollout", "restart", "statefulset/GW", "--namespace=NS"}, path: "spec.template.metadata.annotations"},
	{how: "set env", args: []string{"set", "env", "statefulset/GW", "--namespace=NS", "--containers=tailscale", "TS_EXTRA=x"}, path: "spec.template.spec.containers[tailscale].env[TS_EXTRA]"},
	{
		how: "set image", args: []string{"set", "image", "statefulset/GW", "--namespace=NS", "coredns=registry.example/coredns:v1.14.7"},
		path: "spec.template.spec.containers[coredns].image", reason: api.ReasonEngineBehind, refused: nobody,
	},
	{how: "patch", args: patch("StatefulSet", "GW", "strategic", `{"spec":{"template":{"spec":{"terminationGracePeriodSeconds":5}}}}`), path: "spec.template.spec.terminationGracePeriodSeconds"},
	{how: "replace", edited: func(o object) {
		template := o["spec"].(object)["template"].(object)
		template["spec"].(object)["nodeSelector"] = object{"lab.example/disk": "fast"}
	}, path: "spec.template.spec.nodeSelector"},
	{how: "apply", applied: object{"spec": object{"template": object{"spec": object{"priorityClassName": "system-cluster-critical"}}}}, path: "spec.template.spec.priorityClassName"},
	{how: "patch of minReadySeconds", args: patch("StatefulSet", "GW", "merge", `{"spec":{"minReadySeconds":3}}`), path: "spec.minReadySeconds"},
}
