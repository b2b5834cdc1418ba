# METADATA
# title: Retention is not lost
# description: |
#   An annotation that kept an engine from pruning, forcing or replacing an object is
#   still there. Taking it away in one change and the object in the next deletes it.
# custom:
#   id: change/retention
#   requirements: [RN-09, UP-08]
#   severity: error
#   remedy: put the annotation back
package tsunaro.change.retention

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

keys := {
	"kustomize.toolkit.fluxcd.io/prune",
	"kustomize.toolkit.fluxcd.io/force",
	"kustomize.toolkit.fluxcd.io/ssa",
	"argocd.argoproj.io/sync-options",
	"argocd.argoproj.io/compare-options",
}

deny contains f if {
	some p in build.parts_of(build.was)
	some o in build.same(p.object)
	some key in keys
	want := words(obj.annotation(p.object, key))
	some word in (want - words(obj.annotation(o, key)))
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(["metadata", "annotations", key]), sprintf("must still hold %s", [word]))
}

words(text) := {trim_space(w) | some w in split(text, ",")} if is_string(text)

else := set()
