package objects

import (
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/zone"
)

// newConfigMap is the seed of the zone: after creation the minter owns its data
// and the two dns annotations, so Flux creates it and then leaves it alone. Argo
// CD applies it server-side, since client-side apply cannot store it a second
// time in an annotation once it is over 256 KiB (B17).
func newConfigMap(in model.Inputs, data zone.Data) configMap {
	first := data.First()
	annotations := first.Annotations()
	annotations[api.AnnotationFluxSSA] = "IfNotPresent"
	annotations[api.AnnotationArgoSync] = "Prune=false,Delete=false,ServerSideApply=true"
	return configMap{
		typeMeta: typeMeta{"v1", "ConfigMap"},
		Metadata: meta(in, api.CoreDNSName(in.Gateway.Name), annotations),
		Data:     data.ConfigMap(first.Serial),
	}
}

// newPDB keeps voluntary evictions from the one Pod. It blocks drains too, and
// the operations page says how to drain (OP-09).
func newPDB(in model.Inputs) podDisruptionBudget {
	return podDisruptionBudget{
		typeMeta: typeMeta{"policy/v1", "PodDisruptionBudget"},
		Metadata: meta(in, in.Gateway.Name, nil),
		Spec:     podDisruptionBudgetSpec{MinAvailable: 1, Selector: labelSelector{uids(in)}},
	}
}
