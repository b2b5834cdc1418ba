package tsunaro.change.hosts_test

import data.tsunaro.change.hosts as rule
import data.tsunaro.fixture

# REQ: DL-08
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"old": fixture.build, "new": fixture.changed(ops)}
	f.id == "change/hosts"
	f.object != ""
}

denied := {
	"gone": [{"op": "remove", "path": "hosts"}],
	"renamed": [{"op": "add", "path": "hosts/metadata/name", "value": "x"}],
	"no label": [{"op": "remove", "path": "hosts/metadata/labels"}],
	"no key": [{"op": "remove", "path": "hosts/data/all.txt"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.build}
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.changed(ops)}
}

accepted := {
	"empty": [{"op": "add", "path": "hosts/data/all.txt", "value": ""}],
}
