# METADATA
# title: Nobody else's tracking keys
# description: |
#   Keys of Flux and Argo CD decide what is pruned, forced or tracked. Only those that
#   were rendered are on the nine; an engine adds its own in the cluster.
# custom:
#   id: transformed/engines
#   requirements: [RN-09, LC-18]
#   severity: error
#   remedy: remove the label or annotation from the layer that adds it
package tsunaro.transformed.engines

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

rendered := {
	"kustomize.toolkit.fluxcd.io/prune",
	"kustomize.toolkit.fluxcd.io/force",
	"kustomize.toolkit.fluxcd.io/ssa",
	"argocd.argoproj.io/sync-options",
	"argocd.argoproj.io/compare-options",
	"argocd.argoproj.io/ignore-healthcheck",
}

# It orders an Argo CD sync and changes nothing about the object.
harmless := {"argocd.argoproj.io/sync-wave"}

deny contains f if {
	some p in build.parts
	some kind, allowed in {"labels": set(), "annotations": (rendered | harmless)}
	some key in (obj.keys(p.object, ["metadata", kind]) - allowed)
	regex.match(`^([a-z0-9.\-]+\.)?(fluxcd\.io|argocd\.argoproj\.io)/|^app\.kubernetes\.io/instance$`, key)
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(["metadata", kind, key]), "is an engine's own key, must not be set")
}

per_role := {"kustomize.toolkit.fluxcd.io/ssa": "ConfigMap", "argocd.argoproj.io/ignore-healthcheck": "lb"}

deny contains f if {
	some p in build.parts
	some key, role in per_role
	p.role != role
	have := obj.annotation(p.object, key)
	have != null
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(["metadata", "annotations", key]), finding.must(null, have))
}
