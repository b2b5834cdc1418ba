package admit

import (
	"strconv"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

// unsupported reads the fields that the API models and this writer refuses
// (LC-07). They are checked all the same, so that a CR is as valid here as it
// is to an API server.
func unsupported(spec document.Object, gateway string) {
	if v := spec.Get("stateSecretRef"); given(v) {
		reference(v, rules.StateSecret, func(s string) bool { return s == api.StateSecretName(gateway) })
	}
	if v := spec.Get("authKeySecretRef"); given(v) {
		v.Report(rules.AuthSecretRef, "")
	}
	forwards(spec.Get("forwards"))
	adoption(spec.Get("adoption"), gateway)
}

func forwards(v document.Value) {
	fs := list(v, 0, api.MaxForwards)
	if len(fs) > 0 {
		v.Report(rules.ForwardUnsupported, "")
	}
	for _, f := range fs {
		o, ok := f.Object()
		if !ok {
			continue
		}
		at := o.Get("listenPort")
		if n, ok := at.Int(); ok && !listenPort(n) {
			at.Report(rules.ForwardPort, "")
		}
		o.Get("target")
		o.Close()
	}
}

// listenPort leaves out DNS, the sidecars' health and readiness, and metrics
// (CF-04).
func listenPort(n int64) bool {
	switch n {
	case 53, 8080, 8181, 9153:
		return false
	}
	return n >= 1 && n <= 65535
}

// adoptable are the reviewed kinds and versions (CF-08).
var adoptable = map[string]string{
	"StatefulSet": "apps/v1", "Secret": "v1", "Service": "v1", "ConfigMap": "v1", "ServiceAccount": "v1",
	"Role": "rbac.authorization.k8s.io/v1", "RoleBinding": "rbac.authorization.k8s.io/v1",
	"PodDisruptionBudget": "policy/v1",
}

func adoption(v document.Value, gateway string) {
	if !given(v) {
		return
	}
	v.Report(rules.AdoptionRefused, "")
	o, ok := v.Object()
	if !ok {
		return
	}
	defer o.Close()
	text(o.Get("nodeId"), 0, rules.AdoptionNodeID, isNodeID)

	type key struct{ kind, name string }
	names, uids := unique[key]{}, unique[string]{}
	workloads, workload, secrets, secret := 0, false, 0, false
	objects := o.Get("objects")
	entries := list(objects, 1, api.MaxAdoptionObjects)
	for _, e := range entries {
		ref, ok := e.Object()
		if !ok {
			continue
		}
		kind := text(ref.Get("kind"), 0, rules.AdoptionKind, func(s string) bool { return adoptable[s] != "" })
		if apiVersion, ok := ref.Get("apiVersion").Str(); ok && kind != "" && apiVersion != adoptable[kind] {
			e.Report(rules.AdoptionKind, "")
		}
		name := text(ref.Get("name"), 0, rules.ReferenceName, model.Subdomain)
		uid := text(ref.Get("uid"), 0, rules.AdoptionUID, model.UID)
		ref.Close()
		if kind != "" && name != "" {
			names.add(key{kind, name}, e, rules.AdoptionDuplicate)
		}
		if uid != "" {
			uids.add(uid, e, rules.AdoptionDuplicate)
		}
		switch kind {
		case "StatefulSet":
			workloads, workload = workloads+1, name == gateway
		case "Secret":
			secrets, secret = secrets+1, name == api.StateSecretName(gateway)
		}
	}
	if len(entries) == 0 {
		return
	}
	if workloads != 1 || !workload {
		objects.Report(rules.AdoptionWorkload, "")
	}
	if secrets != 1 || !secret {
		objects.Report(rules.AdoptionState, "")
	}
}

// isNodeID accepts what Headscale makes: an unsigned 64-bit number, not zero.
func isNodeID(s string) bool {
	n, err := strconv.ParseUint(s, 10, 64)
	return err == nil && n > 0 && strconv.FormatUint(n, 10) == s
}
