# METADATA
# title: Selectors hold both UIDs and nothing else
# description: |
#   Selectors are immutable. Those of workload, Services and budget hold the UID of
#   the gateway and of its state Secret, so that no other Pod is ever selected.
# custom:
#   id: rendered/selectors
#   requirements: [RN-04]
#   severity: error
#   remedy: "use labels without includeSelectors, instead of commonLabels or includeSelectors: true"
package tsunaro.rendered.selectors

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

uids := {"tsunaro.io/gateway-uid", "tsunaro.io/state-uid"}

places contains [o, ["spec", "selector"]] if {
	some role in ["headless", "dns", "lb"]
	some o in build.in_role(role)
}

places contains [o, ["spec", "selector", "matchLabels"]] if {
	some role in ["StatefulSet", "PodDisruptionBudget"]
	some o in build.in_role(role)
}

deny contains f if {
	some [o, path] in places
	keys := obj.keys(o, path)
	keys != uids
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(path), finding.must(sort(uids), sort(keys)))
}

deny contains f if {
	some [o, path] in places
	array.slice(path, 2, 3) == ["matchLabels"]
	obj.keys(o, ["spec", "selector"]) != {"matchLabels"}
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.selector", "must hold matchLabels alone")
}
