# METADATA
# title: Both UIDs, or both placeholders
# description: |
#   A UID is the gateway's own placeholder, which no API server takes, or a real UID;
#   the same one wherever it stands.
# custom:
#   id: rendered/binding
#   requirements: [RN-05]
#   severity: error
#   remedy: "leave the placeholder alone: Flux, the admission policy or a copy of the registry among the inputs replaces it"
package tsunaro.rendered.binding

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

fields := {"tsunaro.io/gateway-uid": "gateway_uid", "tsunaro.io/state-uid": "state_uid"}

values(gateway, key) := {v | some p in build.parts; p.gateway == gateway; v := obj.label(p.object, key); v != null}

deny contains f if {
	some p in build.parts
	some key, field in fields
	value := obj.label(p.object, key)
	not placeholder(p.gateway, field, value)
	not uid(value)
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(["metadata", "labels", key]), sprintf("must be a UID or the placeholder of %s", [p.gateway]))
}

deny contains f if {
	some gateway in build.gateways
	some key in object.keys(fields)
	count(values(gateway, key)) > 1
	f := finding.of(rego.metadata.chain(), sprintf("TailnetGateway/%s", [gateway]), obj.text(["metadata", "labels", key]), "must be the same on all nine, is not")
}

deny contains f if {
	some gateway in build.gateways
	count({k | some k in object.keys(fields); some v in values(gateway, k); uid(v)}) == 1
	f := finding.of(rego.metadata.chain(), sprintf("TailnetGateway/%s", [gateway]), "metadata.labels", "must hold both UIDs or both placeholders, holds one of each")
}

placeholder(gateway, field, value) if value == sprintf("${%s_%s:=<unbound>}", [replace(gateway, "-", "_"), field])

uid(value) if regex.match(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, value)
