package tsunaro.rendered.platform_test

import data.tsunaro.fixture
import data.tsunaro.rendered.platform as rule

# REQ: PD-10
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/platform"
	f.object != ""
}

denied := {
	"any file": [{"op": "add", "path": "workload/spec/template/spec/volumes/1/hostPath/type", "value": ""}],
	"a port of the node": [{"op": "add", "path": "workload/spec/template/spec/containers/0/ports/0/hostPort", "value": 8080}],
	"another name": [{"op": "add", "path": "workload/spec/template/spec/containers/1/ports/2/name", "value": "metrics"}],
	"no ports": [{"op": "remove", "path": "workload/spec/template/spec/containers/1/ports"}],
	"another processor": [{"op": "add", "path": "workload/spec/template/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/nodeSelectorTerms/0/matchExpressions/1/values/-", "value": "s390x"}],
	"no affinity": [{"op": "remove", "path": "workload/spec/template/spec/affinity"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
