# METADATA
# title: No pinned or identity field of a Tailnet changes
# description: |
#   Every gateway of the Tailnet would have to become another node.
# custom:
#   id: change/tailnet
#   requirements: [UP-01, UP-08]
#   severity: error
#   remedy: revert the field, or make a new Tailnet and new gateways with it
package tsunaro.change.tailnet

import data.tsunaro.build
import data.tsunaro.fields
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some name, old in build.by_name(build.was, "Tailnet")
	some d in fields.changed("Tailnet", old, build.tailnets[name])
	f := finding.of(rego.metadata.chain(), obj.id(old), d.path, sprintf("must stay %s, is %s (%s field)", [finding.show(d.want), finding.show(d.have), lower(d.class)]))
}
