package tsunaro.transformed.roles_test

import data.tsunaro.fixture
import data.tsunaro.transformed.roles as rule

# REQ: PD-06
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "transformed/roles"
	f.object != ""
}

denied := {
	"another Role": [{"op": "add", "path": "binding/roleRef/name", "value": "admin"}],
	"a ClusterRole": [{"op": "add", "path": "binding/roleRef/kind", "value": "ClusterRole"}],
	"another account": [{"op": "add", "path": "binding/subjects/0/name", "value": "default"}],
	"everybody": [{"op": "add", "path": "binding/subjects/-", "value": {"kind": "Group", "name": "system:authenticated"}}],
	"no Role": [{"op": "remove", "path": "role"}],
	"no subjects": [{"op": "remove", "path": "binding/subjects"}],
	"a second binding": [{"op": "add", "path": "other", "value": {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": {"name": "x"}, "subjects": [{"kind": "ServiceAccount", "name": "a23456789-b23456789-c23456789-d234567890", "namespace": "gateways"}]}}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"somebody else's binding": [{"op": "add", "path": "other", "value": {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "RoleBinding", "metadata": {"name": "x"}, "subjects": [{"kind": "ServiceAccount", "name": "default", "namespace": "gateways"}]}}],
}
