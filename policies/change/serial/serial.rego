# METADATA
# title: The zone's serial does not go back
# description: |
#   A secondary, and CoreDNS itself, take a zone for older by its serial. Git's is a
#   seed that is rendered as 1; where a later one was committed it may not be reset.
# custom:
#   id: change/serial
#   requirements: [DL-01, DL-07]
#   severity: error
#   remedy: leave the zone as it was; the minter advances the serial in the cluster
package tsunaro.change.serial

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

key := "tsunaro.io/dns-serial"

deny contains f if {
	some p in build.parts_of(build.was)
	p.role == "ConfigMap"
	some o in build.same(p.object)
	want := to_number(obj.annotation(p.object, key))
	not at_least(obj.annotation(o, key), want)
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(["metadata", "annotations", key]), sprintf("must be at least %d", [want]))
}

at_least(text, n) if to_number(text) >= n
