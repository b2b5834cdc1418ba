package tsunaro.rendered.probes_test

import data.tsunaro.fixture
import data.tsunaro.rendered.probes as rule

# REQ: PD-04
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/probes"
	f.object != ""
}

denied := {
	"liveness": [{"op": "add", "path": "workload/spec/template/spec/containers/0/livenessProbe", "value": {}}],
	"a hook": [{"op": "add", "path": "workload/spec/template/spec/containers/1/lifecycle", "value": {}}],
	"no readiness": [{"op": "remove", "path": "workload/spec/template/spec/containers/1/readinessProbe"}],
	"another path": [{"op": "add", "path": "workload/spec/template/spec/containers/0/readinessProbe/httpGet/path", "value": "/"}],
	"another timing": [{"op": "add", "path": "workload/spec/template/spec/containers/0/readinessProbe/periodSeconds", "value": 1}],
	"one field more": [{"op": "add", "path": "workload/spec/template/spec/containers/0/readinessProbe/initialDelaySeconds", "value": 5}],
	"the endpoint is off": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/14/value", "value": "false"}],
	"a gate": [{"op": "add", "path": "workload/spec/template/spec/readinessGates", "value": [{}]}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
