# METADATA
# title: Every object is there
# description: |
#   One of the nine is not in the cluster.
# custom:
#   id: drift/missing
#   requirements: [ST-06]
#   severity: error
#   remedy: "see the gateway's conditions: what was deleted is made again only where the minter allows it"
package tsunaro.drift.missing

import data.tsunaro.finding
import data.tsunaro.live
import data.tsunaro.object as obj

deny contains f if {
	some want in live.desired
	not live.counterpart(want)
	f := object.union(
		finding.of(rego.metadata.chain(), obj.id(want), "", "must be there, is missing"),
		{"want": obj.id(want), "have": null},
	)
}
