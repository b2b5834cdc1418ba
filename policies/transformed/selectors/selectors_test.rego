package tsunaro.transformed.selectors_test

import data.tsunaro.fixture
import data.tsunaro.transformed.selectors as rule

# REQ: RN-04
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "transformed/selectors"
	f.object != ""
}

denied := {
	"other values": [{"op": "add", "path": "dns/spec/selector/tsunaro.io~1state-uid", "value": "x"}],
	"a label that Pods lack": [{"op": "add", "path": "budget/spec/selector/matchLabels/team", "value": "net"}],
	"in the workload": [{"op": "add", "path": "workload/spec/selector/matchLabels/tsunaro.io~1gateway-uid", "value": "x"}],
	"other Pods": [{"op": "add", "path": "workload/spec/template/metadata/labels/tsunaro.io~1gateway-uid", "value": "x"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
