# METADATA
# title: No pinned or identity field of a TailnetGateway changes
# description: |
#   Identity fields need a new node (IdentityChanged), pinned ones block the gateway
#   until they are reverted (FreshBlocked).
# custom:
#   id: change/gateway
#   requirements: [UP-01, UP-08]
#   severity: error
#   remedy: revert the field, or make a new TailnetGateway with it
package tsunaro.change.gateway

import data.tsunaro.build
import data.tsunaro.fields
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some name, old in build.by_name(build.was, "TailnetGateway")
	some d in fields.changed("TailnetGateway", old, build.crs[name])
	f := finding.of(rego.metadata.chain(), obj.id(old), d.path, sprintf("must stay %s, is %s (%s field)", [finding.show(d.want), finding.show(d.have), lower(d.class)]))
}
