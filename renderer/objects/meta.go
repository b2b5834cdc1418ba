package objects

import (
	"maps"
	"strconv"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
)

// uids returns the two labels that isolate a gateway: real UIDs where the input
// holds a binding, else what a binder replaces (RN-04, RN-05).
func uids(in model.Inputs) map[string]string {
	b := in.Binding
	if b == (model.Binding{}) {
		b.GatewayUID = api.Placeholder(in.Gateway.Name, api.BindingGatewayUID)
		b.StateUID = api.Placeholder(in.Gateway.Name, api.BindingStateUID)
	}
	return map[string]string{api.LabelGatewayUID: b.GatewayUID, api.LabelStateUID: b.StateUID}
}

// labels are those of every object and of the Pod.
func labels(in model.Inputs) map[string]string {
	l := uids(in)
	l[api.LabelGateway] = in.Gateway.Name
	return l
}

// meta returns the metadata that every one of the nine has: retained by both
// engines, never forced, not extraneous (RN-09), stamped with its render format
// (RN-11). Engines set no owner and neither do we (LC-05).
func meta(in model.Inputs, name string, extra map[string]string) objectMeta {
	annotations := map[string]string{
		api.AnnotationRenderFormat: strconv.Itoa(in.Gateway.Format),
		api.AnnotationFluxPrune:    "disabled",
		api.AnnotationFluxForce:    "disabled",
		api.AnnotationArgoSync:     "Prune=false,Delete=false",
		api.AnnotationArgoCompare:  "IgnoreExtraneous",
	}
	maps.Copy(annotations, extra)
	return objectMeta{
		Name:        name,
		Namespace:   in.Tailnet.OperatorNamespace,
		Labels:      labels(in),
		Annotations: annotations,
	}
}
