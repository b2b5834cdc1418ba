# METADATA
# title: The Pod may use its state, and nothing else
# description: |
#   The Role is get, update and patch of one Secret, the gateway's state. It can
#   neither create nor list, and not read the auth Secret.
# custom:
#   id: rendered/role
#   requirements: [PD-06]
#   severity: error
#   remedy: leave the Role as rendered, and give no other one to this ServiceAccount
package tsunaro.rendered.role

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some o in build.in_role("Role")
	count(obj.items(o, ["rules"])) != 1
	f := finding.of(rego.metadata.chain(), obj.id(o), "rules", "must be one rule")
}

want(gateway) := {
	"apiGroups": [""],
	"resources": ["secrets"],
	"resourceNames": [sprintf("%s-state", [gateway])],
	"verbs": ["get", "update", "patch"],
}

deny contains f if {
	some p in build.parts
	p.role == "Role"
	some i, r in obj.items(p.object, ["rules"])
	some key in (object.keys(want(p.gateway)) | object.keys(r))
	have := obj.get(r, [key])
	have != obj.get(want(p.gateway), [key])
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(["rules", i, key]), finding.must(obj.get(want(p.gateway), [key]), have))
}
