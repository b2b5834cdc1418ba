# METADATA
# title: Of the nine only the mutable fields change
# description: |
#   Images, routes, pool labels and the zone may change. A change of anything else is a
#   difference from the completion receipt: the gateway runs on and is FreshBlocked.
# custom:
#   id: change/objects
#   requirements: [UP-01, UP-02, UP-08, UP-11]
#   severity: error
#   remedy: "revert the change, or revert what made the rendering change: a field of the TailnetGateway, another layer, or the version of tsunaro-fn"
package tsunaro.change.objects

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.leaves
import data.tsunaro.object as obj

# Those that are another rule's.
elsewhere := {
	"metadata.annotations[tsunaro.io/render-format]",
	"metadata.labels[tsunaro.io/gateway-uid]",
	"metadata.labels[tsunaro.io/state-uid]",
}

deny contains f if {
	some p in build.parts_of(build.was)
	not p.gateway in object.keys(build.renamed)
	some o in build.same(p.object)
	some d in leaves.differences(p.object, o)
	not leaves.mutable(p.role, d)
	not leaves.bound(d)
	not d.path in elsewhere
	f := finding.of(rego.metadata.chain(), obj.id(o), d.path, finding.stay(d.want, d.have))
}
