# METADATA
# title: Stamped with one render format
# description: |
#   All nine carry the number of the render format, the same one, and a gateway keeps
#   it for life.
# custom:
#   id: rendered/format
#   requirements: [RN-11]
#   severity: error
#   remedy: set spec.renderFormat of the TailnetGateway, and leave the annotation alone
package tsunaro.rendered.format

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

key := "tsunaro.io/render-format"

stamps(gateway) := {obj.annotation(p.object, key) | some p in build.parts; p.gateway == gateway}

deny contains f if {
	some p in build.parts
	not regex.match(`^[1-9][0-9]*$`, obj.annotation(p.object, key))
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(["metadata", "annotations", key]), "must be a number such as \"1\"")
}

deny contains f if {
	some gateway in build.gateways
	count(stamps(gateway)) > 1
	f := finding.of(rego.metadata.chain(), sprintf("TailnetGateway/%s", [gateway]), obj.text(["metadata", "annotations", key]), "must be the same on all nine, is not")
}

# A CR without a format means format 1 for ever.
deny contains f if {
	some gateway, cr in build.crs
	want := sprintf("%d", [object.get(cr, ["spec", "renderFormat"], 1)])
	some p in build.parts
	p.gateway == gateway
	have := obj.annotation(p.object, key)
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(["metadata", "annotations", key]), finding.must(want, have))
}
