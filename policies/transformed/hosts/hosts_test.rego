package tsunaro.transformed.hosts_test

import data.tsunaro.fixture
import data.tsunaro.transformed.hosts as rule

# REQ: DN-13, DL-08
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "transformed/hosts"
	f.object != ""
}

denied := {
	"a hash": [{"op": "add", "path": "hosts/metadata/name", "value": "office-hosts-8mbdf7882g"}],
	"elsewhere": [{"op": "add", "path": "hosts/metadata/namespace", "value": "other"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"another source": [{"op": "add", "path": "hosts/metadata/name", "value": "other"}],
	"none": [{"op": "remove", "path": "hosts"}],
}
