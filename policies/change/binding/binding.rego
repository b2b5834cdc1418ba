# METADATA
# title: A bound gateway keeps its UIDs
# description: |
#   UIDs in Git may take the place of the placeholders. After that they are for life:
#   others would be a new gateway's, and the placeholder would unbind it.
# custom:
#   id: change/binding
#   requirements: [RN-05, UP-11]
#   severity: error
#   remedy: put the copy of the registry, with the same UIDs, back among the inputs
package tsunaro.change.binding

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.leaves
import data.tsunaro.object as obj

deny contains f if {
	some p in build.parts_of(build.was)
	some o in build.same(p.object)
	some key in ["tsunaro.io/gateway-uid", "tsunaro.io/state-uid"]
	d := {"want": obj.label(p.object, key), "have": obj.label(o, key)}
	d.want != d.have
	not leaves.bound(d)
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(["metadata", "labels", key]), finding.stay(d.want, d.have))
}
