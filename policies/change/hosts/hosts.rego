# METADATA
# title: A hosts source stays
# description: |
#   Without its hosts source the gateway's zone is frozen (DNSUpdateBlocked), or every
#   dynamic name in it disappears at once.
# custom:
#   id: change/hosts
#   requirements: [DL-08, DN-02]
#   severity: error
#   remedy: keep the ConfigMap with its label and its keys; emptying a key is fine
package tsunaro.change.hosts

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

tailnet(o) := obj.label(o, "tsunaro.io/tailnet")

deny contains f if {
	some o in build.was
	o.kind == "ConfigMap"
	tailnet(o) != null
	some text in missing(o)
	f := finding.of(rego.metadata.chain(), obj.id(o), text[0], text[1])
}

missing(o) := {["", "must stay in the build, is gone"]} if not after(o)

else := label_changed(o) | keys_gone(o)

label_changed(o) := {["metadata.labels[tsunaro.io/tailnet]", finding.stay(tailnet(o), tailnet(after(o)))] | tailnet(o) != tailnet(after(o))}

keys_gone(o) := {[obj.text(["data", key]), "must stay, is missing"] | some key in (obj.keys(o, ["data"]) - obj.keys(after(o), ["data"]))}

after(o) := [n | some n in build.objects; obj.id(n) == obj.id(o)][0]
