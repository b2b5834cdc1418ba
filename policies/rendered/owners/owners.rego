# METADATA
# title: Nothing is owned
# description: |
#   No object of a gateway has an owner or a finalizer: deleting the CR retains them.
# custom:
#   id: rendered/owners
#   requirements: [LC-05]
#   severity: error
#   remedy: remove ownerReferences and finalizers
package tsunaro.rendered.owners

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some p in build.parts
	some [path, want, have] in obj.differs(p.object, {["metadata", "ownerReferences"]: null, ["metadata", "finalizers"]: null})
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(path), finding.must(want, have))
}
