# METADATA
# title: Everything is in the operator namespace
# description: |
#   The Tailnet says where its gateways live; every object of them is there.
# custom:
#   id: rendered/namespace
#   requirements: [RN-12]
#   severity: error
#   remedy: set spec.operatorNamespace of the Tailnet, and no namespace in the kustomization
package tsunaro.rendered.namespace

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some p in build.parts
	obj.get(p.object, ["metadata", "namespace"]) == null
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "metadata.namespace", "must be set, is missing")
}

deny contains f if {
	some p in build.parts
	want := object.get(build.tailnet(p.gateway), ["spec", "operatorNamespace"], "tsunaro-system")
	have := obj.get(p.object, ["metadata", "namespace"])
	have != null
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "metadata.namespace", finding.must(want, have))
}
