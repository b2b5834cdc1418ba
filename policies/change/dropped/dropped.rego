# METADATA
# title: Nothing of a gateway leaves the build
# description: |
#   What leaves the build is retained in the cluster and from then on nobody's, or an
#   engine that does not know better deletes it. A gateway goes by suspending it, or
#   with deletionPolicy: Delete in the build before.
# custom:
#   id: change/dropped
#   requirements: [UP-08, RN-09, LC-05]
#   severity: error
#   remedy: "suspend the gateway instead, or set deletionPolicy: Delete first and remove it in a second change"
package tsunaro.change.dropped

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

there := {obj.id(o) | some o in build.objects}

deny contains f if {
	some p in build.parts_of(build.was)
	not obj.id(p.object) in there
	not suspended(p.gateway)
	not consented(p.gateway)
	not p.gateway in object.keys(build.renamed)
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "", "must stay in the build, is gone")
}

deny contains f if {
	some gateway in (object.keys(before) - object.keys(build.crs))
	not consented(gateway)
	not gateway in object.keys(build.renamed)
	f := finding.of(rego.metadata.chain(), sprintf("TailnetGateway/%s", [gateway]), "", "must stay in the build, is gone")
}

# A Tailnet goes after its gateways.
deny contains f if {
	some name in (object.keys(build.by_name(build.was, "Tailnet")) - object.keys(build.tailnets))
	some gateway, cr in before
	cr.spec.tailnetRef.name == name
	not consented(gateway)
	f := finding.of(rego.metadata.chain(), sprintf("Tailnet/%s", [name]), "", sprintf("must stay in the build as long as the gateway %s has not been removed", [gateway]))
}

before := build.by_name(build.was, "TailnetGateway")

suspended(gateway) if {
	build.crs[gateway]
	not gateway in build.active
}

consented(gateway) if {
	obj.get(before[gateway], ["spec", "deletionPolicy"]) == "Delete"
	not build.crs[gateway]
}
