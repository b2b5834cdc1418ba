package objects

import (
	"maps"
	"strconv"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
)

// uids returns the two labels that isolate a gateway (RN-04).
func uids(in model.Inputs) map[string]string {
	return map[string]string{api.LabelGatewayUID: in.Binding.GatewayUID, api.LabelStateUID: in.Binding.StateUID}
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
