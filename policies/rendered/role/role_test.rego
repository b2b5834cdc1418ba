package tsunaro.rendered.role_test

import data.tsunaro.fixture
import data.tsunaro.rendered.role as rule

# REQ: PD-06
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/role"
	f.object != ""
}

denied := {
	"create": [{"op": "add", "path": "role/rules/0/verbs", "value": ["get", "update", "patch", "create"]}],
	"the auth Secret": [{"op": "add", "path": "role/rules/0/resourceNames", "value": ["a23456789-b23456789-c23456789-d234567890-state", "a23456789-b23456789-c23456789-d234567890-auth"]}],
	"any Secret": [{"op": "remove", "path": "role/rules/0/resourceNames"}],
	"two rules": [{"op": "add", "path": "role/rules/-", "value": {"verbs": ["list"], "apiGroups": [""], "resources": ["secrets"]}}],
	"no rules": [{"op": "remove", "path": "role/rules"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
