package tsunaro.rendered.namespace_test

import data.tsunaro.fixture
import data.tsunaro.rendered.namespace as rule

# REQ: RN-12
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/namespace"
	f.object != ""
}

denied := {
	"none": [{"op": "remove", "path": "role/metadata/namespace"}],
	"another": [
		{"op": "add", "path": "account/metadata/namespace", "value": "other"},
		{"op": "add", "path": "role/metadata/namespace", "value": "other"},
		{"op": "add", "path": "binding/metadata/namespace", "value": "other"},
		{"op": "add", "path": "config/metadata/namespace", "value": "other"},
		{"op": "add", "path": "headless/metadata/namespace", "value": "other"},
		{"op": "add", "path": "dns/metadata/namespace", "value": "other"},
		{"op": "add", "path": "lb/metadata/namespace", "value": "other"},
		{"op": "add", "path": "budget/metadata/namespace", "value": "other"},
		{"op": "add", "path": "workload/metadata/namespace", "value": "other"},
	],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"the CRs are elsewhere": [
		{"op": "remove", "path": "gateway"},
		{"op": "remove", "path": "tailnet"},
	],
}
