# METADATA
# title: Selectors choose the Pod of the same gateway
# description: |
#   A selector and the Pod's labels hold the same UIDs, and each object carries them
#   too: selectors are immutable, and one that selects nothing takes the gateway off
#   the network.
# custom:
#   id: transformed/selectors
#   requirements: [RN-04]
#   severity: error
#   remedy: use labels without includeSelectors, and leave keys of tsunaro.io/ alone
package tsunaro.transformed.selectors

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

places contains [p, ["spec", "selector"]] if {
	some p in build.parts
	p.role in {"headless", "dns", "lb"}
}

places contains [p, ["spec", "selector", "matchLabels"]] if {
	some p in build.parts
	p.role in {"StatefulSet", "PodDisruptionBudget"}
}

deny contains f if {
	some [p, path] in places
	some key, have in obj.get(p.object, path)
	some workload in build.of(p.gateway, "StatefulSet")
	want := obj.get(workload, ["spec", "template", "metadata", "labels", key])
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(array.concat(path, [key])), finding.must(want, have))
}
