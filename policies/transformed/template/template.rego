# METADATA
# title: The Pod template is the gateway's own
# description: |
#   The completion receipt binds the template: a label or annotation that is added to
#   it makes the running gateway differ from what was verified (FreshBlocked).
# custom:
#   id: transformed/template
#   requirements: [UP-01, LC-15]
#   severity: error
#   remedy: use labels without includeTemplates, and annotations on the TailnetGateway instead of commonAnnotations
package tsunaro.transformed.template

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

metadata := ["spec", "template", "metadata"]

deny contains f if {
	some p in build.parts
	p.role == "StatefulSet"
	want := {
		"tsunaro.io/gateway": p.gateway,
		"tsunaro.io/gateway-uid": obj.label(p.object, "tsunaro.io/gateway-uid"),
		"tsunaro.io/state-uid": obj.label(p.object, "tsunaro.io/state-uid"),
	}
	some key in (object.keys(want) | obj.keys(p.object, array.concat(metadata, ["labels"])))
	have := obj.get(p.object, array.concat(metadata, ["labels", key]))
	have != obj.get(want, [key])
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(array.concat(metadata, ["labels", key])), finding.must(obj.get(want, [key]), have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some key in (obj.keys(o, metadata) - {"labels"})
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(array.concat(metadata, [key])), "must not be set")
}
