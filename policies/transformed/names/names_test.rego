package tsunaro.transformed.names_test

import data.tsunaro.fixture
import data.tsunaro.transformed.names as rule

# REQ: RN-08
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "transformed/names"
	f.object != ""
}

denied := {
	"a prefix": [{"op": "add", "path": "config/metadata/name", "value": "x-a23456789-b23456789-c23456789-d234567890-coredns"}],
	"a prefix of a Service": [{"op": "add", "path": "headless/metadata/name", "value": "x-a23456789-b23456789-c23456789-d234567890"}],
	"of the LB": [{"op": "add", "path": "lb/metadata/name", "value": "x"}],
	"of the DNS Service": [{"op": "add", "path": "dns/metadata/name", "value": "x-office-dns"}],
	"no name": [{"op": "remove", "path": "role/metadata/name"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"the CR is elsewhere": [{"op": "remove", "path": "gateway"}],
}
