package tsunaro.rendered.owners_test

import data.tsunaro.fixture
import data.tsunaro.rendered.owners as rule

# REQ: LC-05
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/owners"
	f.object != ""
}

denied := {
	"an owner": [{"op": "add", "path": "role/metadata/ownerReferences", "value": [{"kind": "TailnetGateway", "name": "a23456789-b23456789-c23456789-d234567890"}]}],
	"a finalizer": [{"op": "add", "path": "lb/metadata/finalizers", "value": ["x/y"]}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
