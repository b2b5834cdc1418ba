package tsunaro.rendered.selectors_test

import data.tsunaro.fixture
import data.tsunaro.rendered.selectors as rule

# REQ: RN-04, B03
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/selectors"
	f.object != ""
}

denied := {
	"a label of all objects in a Service": [{"op": "add", "path": "dns/spec/selector/team", "value": "net"}],
	"in the workload": [{"op": "add", "path": "workload/spec/selector/matchLabels/team", "value": "net"}],
	"in the budget": [{"op": "add", "path": "budget/spec/selector/matchLabels/team", "value": "net"}],
	"one UID alone": [{"op": "remove", "path": "headless/spec/selector/tsunaro.io~1state-uid"}],
	"no selector": [{"op": "remove", "path": "lb/spec/selector"}],
	"expressions": [{"op": "add", "path": "budget/spec/selector/matchExpressions", "value": []}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
