# METADATA
# title: Retained by both engines
# description: |
#   Every object tells Flux and Argo CD never to prune, delete, force or replace it,
#   and not to call it extraneous. Neither engine takes the live zone back, stores it
#   once more in an annotation, or waits for the LoadBalancer's address.
# custom:
#   id: rendered/retention
#   requirements: [RN-09, DL-07, UP-08]
#   severity: error
#   remedy: leave the engines' annotations as rendered
package tsunaro.rendered.retention

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

expected := {
	["metadata", "annotations", "kustomize.toolkit.fluxcd.io/prune"]: "disabled",
	["metadata", "annotations", "kustomize.toolkit.fluxcd.io/force"]: "disabled",
	["metadata", "annotations", "argocd.argoproj.io/compare-options"]: "IgnoreExtraneous",
}

per_role := {
	"ConfigMap": {["metadata", "annotations", "kustomize.toolkit.fluxcd.io/ssa"]: "IfNotPresent"},
	"lb": {["metadata", "annotations", "argocd.argoproj.io/ignore-healthcheck"]: "true"},
}

deny contains f if {
	some p in build.parts
	some [path, want, have] in obj.differs(p.object, object.union(expected, object.get(per_role, p.role, {})))
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(path), finding.must(want, have))
}

options(o) := {trim_space(s) | some s in split(obj.annotation(o, "argocd.argoproj.io/sync-options"), ",")}

# A zone may be larger than what client-side apply can store.
also := {"ConfigMap": ["ServerSideApply=true"]}

sync := "metadata.annotations[argocd.argoproj.io/sync-options]"

deny contains f if {
	some p in build.parts
	some option in array.concat(["Prune=false", "Delete=false"], object.get(also, p.role, []))
	not option in options(p.object)
	f := finding.of(rego.metadata.chain(), obj.id(p.object), sync, sprintf("must hold %s", [option]))
}

deny contains f if {
	some p in build.parts
	some option in options(p.object)
	option in {"Force=true", "Replace=true", "Prune=true", "Delete=true", "Prune=confirm", "Delete=confirm"}
	f := finding.of(rego.metadata.chain(), obj.id(p.object), sync, sprintf("must not hold %s", [option]))
}
