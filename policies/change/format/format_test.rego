package tsunaro.change.format_test

import data.tsunaro.change.format as rule
import data.tsunaro.fixture

# REQ: RN-11
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"old": fixture.build, "new": fixture.changed(ops)}
	f.id == "change/format"
	f.object != ""
}

denied := {
	"a newer one": [{"op": "add", "path": "role/metadata/annotations/tsunaro.io~1render-format", "value": "2"}],
	"none": [{"op": "remove", "path": "role/metadata/annotations/tsunaro.io~1render-format"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.build}
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.changed(ops)}
}

accepted := {
	"gone": [{"op": "remove", "path": "role"}],
}
