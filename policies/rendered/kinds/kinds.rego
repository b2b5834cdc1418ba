# METADATA
# title: Nothing but the nine kinds
# description: |
#   No Secret, no NetworkPolicy and nothing else carries a gateway's label, and what
#   the minter alone may write, keys, receipts and the registry, is in no build.
# custom:
#   id: rendered/kinds
#   requirements: [RN-02, LC-18]
#   severity: error
#   remedy: remove it from the build; the minter makes it in the cluster
package tsunaro.rendered.kinds

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

kinds := {"ServiceAccount", "Role", "RoleBinding", "ConfigMap", "Service", "PodDisruptionBudget", "StatefulSet"}

minted(gateway) := {
	["Secret", sprintf("%s-state", [gateway])],
	["Secret", sprintf("%s-auth", [gateway])],
	["ConfigMap", sprintf("%s-auth-receipt", [gateway])],
	["ConfigMap", sprintf("%s-fresh", [gateway])],
	["ConfigMap", sprintf("%s-fresh-next", [gateway])],
}

deny contains f if {
	some p in build.parts
	not obj.get(p.object, ["kind"]) in kinds
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "kind", "is not a kind that a gateway consists of")
}

deny contains f if {
	some o in build.objects
	some gateway in (build.gateways | object.keys(build.crs))
	[o.kind, o.metadata.name] in minted(gateway)
	f := finding.of(rego.metadata.chain(), obj.id(o), "", "must be written by the minter, is in the build")
}

deny contains f if {
	some o in build.objects
	o.kind == "ConfigMap"
	o.metadata.name == "tsunaro-bindings"
	f := finding.of(rego.metadata.chain(), obj.id(o), "", "is the registry of bindings: must be written by the minter, is in the build")
}
