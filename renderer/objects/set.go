package objects

import (
	"bytes"
	"encoding/json"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/plan"
	"tsunaro.io/gateway/renderer/rules"
)

// Count is how many resources a gateway consists of (RN-02).
const Count = 9

// Object is one rendered resource.
type Object struct {
	rules.Object
	APIVersion string
	JSON       []byte // on one line; always the same bytes for the same resource
}

// Set is the nine, in the order in which they should be created: the StatefulSet
// last.
type Set [Count]Object

// Render writes down one active gateway as planned. The caller has seen to it
// that in is admitted and p is its plan without findings other than warnings.
func Render(in model.Inputs, p plan.Plan) Set {
	if in.Binding == (model.Binding{}) { // no UIDs yet: what a binder replaces (RN-05)
		in.Binding.GatewayUID = api.Placeholder(in.Gateway.Name, api.BindingGatewayUID)
		in.Binding.StateUID = api.Placeholder(in.Gateway.Name, api.BindingStateUID)
	}
	values := [Count]any{
		newServiceAccount(in),
		newRole(in),
		newRoleBinding(in),
		newConfigMap(in, p.Zone),
		newHeadless(in),
		newDNSService(in),
		newLoadBalancer(in),
		newPDB(in),
		newStatefulSet(in, p),
	}
	var s Set
	for i, v := range values {
		t, m := identity(v)
		s[i] = Object{rules.Object{Kind: t.Kind, Namespace: m.Namespace, Name: m.Name}, t.APIVersion, encode(v)}
	}
	return s
}

func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // <unbound> should be readable
	if err := enc.Encode(v); err != nil {
		panic(err) // plain structs of strings and numbers: cannot happen
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

func identity(v any) (typeMeta, objectMeta) {
	switch o := v.(type) {
	case serviceAccount:
		return o.typeMeta, o.Metadata
	case role:
		return o.typeMeta, o.Metadata
	case roleBinding:
		return o.typeMeta, o.Metadata
	case configMap:
		return o.typeMeta, o.Metadata
	case service:
		return o.typeMeta, o.Metadata
	case podDisruptionBudget:
		return o.typeMeta, o.Metadata
	case statefulSet:
		return o.typeMeta, o.Metadata
	}
	panic("objects: a type that is not one of the nine")
}
