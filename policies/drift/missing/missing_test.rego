package tsunaro.drift.missing_test

import data.tsunaro.drift.missing as rule
import data.tsunaro.fixture

# REQ: ST-06
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"desired": fixture.alone([]), "live": fixture.alone(ops)}
	f.id == "drift/missing"
	f.object != ""
}

denied := {
	"a Role": [{"op": "remove", "path": "role"}],
	"another version": [{"op": "add", "path": "budget/apiVersion", "value": "policy/v2"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as {"desired": fixture.alone([]), "live": fixture.alone([])}
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as {"desired": fixture.alone([]), "live": fixture.alone(ops)}
}

accepted := {
	"something more": [{"op": "add", "path": "other", "value": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}}}],
}
