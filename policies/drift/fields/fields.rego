# METADATA
# title: Every field is as rendered
# description: |
#   A field of one of the nine differs from its rendering, outside the fields that the
#   server, the minter and the mutable fields of the CR own.
# custom:
#   id: drift/fields
#   requirements: [ST-06, LC-15, LC-16]
#   severity: error
#   remedy: revert the change in the cluster, or let the engine sync
package tsunaro.drift.fields

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.leaves
import data.tsunaro.live
import data.tsunaro.object as obj

deny contains f if {
	some want in live.desired
	have := live.counterpart(want)
	some p in build.parts_of([want])
	some d in leaves.differences(want, have)
	not leaves.mutable(p.role, d)
	not leaves.bound(d)
	not leaves.covers(live.server(p.role), d.steps)
	f := object.union(
		finding.of(rego.metadata.chain(), obj.id(want), d.path, finding.must(d.want, d.have)),
		{"want": finding.value(d.path, d.want), "have": finding.value(d.path, d.have)},
	)
}
