# METADATA
# title: A gateway keeps its render format
# description: |
#   The format is the shape that was verified when the gateway was made; a newer one is
#   for new gateways.
# custom:
#   id: change/format
#   requirements: [RN-11]
#   severity: error
#   remedy: set spec.renderFormat to the format it had
package tsunaro.change.format

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

key := "tsunaro.io/render-format"

deny contains f if {
	some p in build.parts_of(build.was)
	some o in build.same(p.object)
	want := obj.annotation(p.object, key)
	have := obj.annotation(o, key)
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(["metadata", "annotations", key]), finding.stay(want, have))
}
