package tsunaro.change.serial_test

import data.tsunaro.change.serial as rule
import data.tsunaro.fixture

# REQ: DL-01
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"old": fixture.build, "new": fixture.changed(ops)}
	f.id == "change/serial"
	f.object != ""
}

denied := {
	"none": [{"op": "remove", "path": "config/metadata/annotations/tsunaro.io~1dns-serial"}],
	"none yet": [{"op": "add", "path": "config/metadata/annotations/tsunaro.io~1dns-serial", "value": "0"}],
	"a word": [{"op": "add", "path": "config/metadata/annotations/tsunaro.io~1dns-serial", "value": "x"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.build}
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.changed(ops)}
}

accepted := {
	"a later one": [{"op": "add", "path": "config/metadata/annotations/tsunaro.io~1dns-serial", "value": "7"}],
	"gone": [{"op": "remove", "path": "config"}],
}
