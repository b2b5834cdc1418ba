package tsunaro.transformed.namespaces_test

import data.tsunaro.fixture
import data.tsunaro.transformed.namespaces as rule

# REQ: RN-12
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "transformed/namespaces"
	f.object != ""
}

denied := {
	"one elsewhere": [{"op": "add", "path": "role/metadata/namespace", "value": "other"}],
	"the account elsewhere": [{"op": "add", "path": "binding/subjects/0/namespace", "value": "other"}],
	"none": [{"op": "remove", "path": "binding/subjects/0/namespace"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
