# METADATA
# title: The binding joins this Role and this account
# description: |
#   The Pod's rights are those of the gateway's own Role, given to its own account and
#   to nobody else.
# custom:
#   id: transformed/roles
#   requirements: [PD-06]
#   severity: error
#   remedy: leave Role, RoleBinding and ServiceAccount as rendered
package tsunaro.transformed.roles

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some p in build.parts
	p.role == "RoleBinding"
	some [path, want, have] in obj.differs(p.object, {
		["roleRef", "apiGroup"]: "rbac.authorization.k8s.io",
		["roleRef", "kind"]: "Role",
		["roleRef", "name"]: name(p.gateway, "Role"),
	})
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(path), finding.must(want, have))
}

deny contains f if {
	some p in build.parts
	p.role == "RoleBinding"
	have := [object.remove(s, ["namespace"]) | some s in obj.items(p.object, ["subjects"])]
	want := [{"kind": "ServiceAccount", "name": name(p.gateway, "ServiceAccount")}]
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "subjects", finding.must(want, have))
}

name(gateway, role) := build.first([obj.get(o, ["metadata", "name"]) | some o in build.of(gateway, role)], null)

# A second binding would give the account more.
deny contains f if {
	some o in build.objects
	o.kind in {"RoleBinding", "ClusterRoleBinding"}
	some subject in obj.items(o, ["subjects"])
	subject.kind == "ServiceAccount"
	some account in build.in_role("ServiceAccount")
	subject.name == account.metadata.name
	subject.namespace == account.metadata.namespace
	not o in build.in_role("RoleBinding")
	f := finding.of(rego.metadata.chain(), obj.id(o), "subjects", sprintf("must not name the ServiceAccount %s, whose rights are those of its gateway's Role", [subject.name]))
}
