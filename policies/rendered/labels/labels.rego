# METADATA
# title: Own labels, and pool labels on one Service only
# description: |
#   Each of the nine names its gateway and both UIDs. Pool labels are on the
#   LoadBalancer Service only, and their keys are recorded.
# custom:
#   id: rendered/labels
#   requirements: [RN-04]
#   severity: error
#   remedy: set pool labels in spec.poolLabels of the TailnetGateway, and leave keys of tsunaro.io/ alone
package tsunaro.rendered.labels

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

own := {"tsunaro.io/gateway", "tsunaro.io/gateway-uid", "tsunaro.io/state-uid"}

deny contains f if {
	some p in build.parts
	some key in (own - obj.keys(p.object, ["metadata", "labels"]))
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(["metadata", "labels", key]), "must be set, is missing")
}

deny contains f if {
	some p in build.parts
	some key in (obj.keys(p.object, ["metadata", "labels"]) - own)
	regex.match(`^([a-z0-9.\-]+\.)?tsunaro\.io/`, key)
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(["metadata", "labels", key]), "is not a label of this product")
}

deny contains f if {
	some p in build.parts
	p.role != "lb"
	have := obj.annotation(p.object, "tsunaro.io/pool-label-keys")
	have != null
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "metadata.annotations[tsunaro.io/pool-label-keys]", finding.must(null, have))
}

# A key that is recorded and not there would be taken for one of ours to remove.
deny contains f if {
	some o in build.in_role("lb")
	recorded := {k | some k in split(obj.annotation(o, "tsunaro.io/pool-label-keys"), ","); k != ""}
	some key in (recorded - (obj.keys(o, ["metadata", "labels"]) - own))
	f := finding.of(rego.metadata.chain(), obj.id(o), "metadata.annotations[tsunaro.io/pool-label-keys]", sprintf("names %s, which must be a label of the Service", [key]))
}
