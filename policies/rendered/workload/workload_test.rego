package tsunaro.rendered.workload_test

import data.tsunaro.fixture
import data.tsunaro.rendered.workload as rule

# REQ: RN-03
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/workload"
	f.object != ""
}

denied := {
	"two Pods": [{"op": "add", "path": "workload/spec/replicas", "value": 2}],
	"no number": [{"op": "remove", "path": "workload/spec/replicas"}],
	"a rolling update": [{"op": "add", "path": "workload/spec/updateStrategy", "value": {"type": "RollingUpdate"}}],
	"a budget of none": [{"op": "add", "path": "budget/spec/minAvailable", "value": 0}],
	"a percentage": [{"op": "add", "path": "budget/spec/minAvailable", "value": "100%"}],
	"maxUnavailable": [{"op": "add", "path": "budget/spec/maxUnavailable", "value": 1}],
	"a claim": [{"op": "add", "path": "workload/spec/volumeClaimTemplates", "value": [{}]}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
