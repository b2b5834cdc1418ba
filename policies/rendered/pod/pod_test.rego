package tsunaro.rendered.pod_test

import data.tsunaro.fixture
import data.tsunaro.rendered.pod as rule

# REQ: PD-08
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/pod"
	f.object != ""
}

denied := {
	"a sysctl too many": [{"op": "add", "path": "workload/spec/template/spec/securityContext/sysctls/-", "value": {"name": "net.core.somaxconn", "value": "1"}}],
	"a toleration is gone": [{"op": "remove", "path": "workload/spec/template/spec/tolerations"}],
	"another node": [{"op": "add", "path": "workload/spec/template/spec/nodeSelector/site", "value": "x"}],
	"less memory": [{"op": "add", "path": "workload/spec/template/spec/containers/0/resources/limits/memory", "value": "1Mi"}],
	"no limits": [{"op": "remove", "path": "workload/spec/template/spec/containers/0/resources/limits"}],
	"resources for the preflight": [{"op": "add", "path": "workload/spec/template/spec/initContainers/0/resources", "value": {"limits": {"cpu": "1"}}}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"an empty list is none": [{"op": "add", "path": "gateway/spec/pod/tolerations", "value": []}, {"op": "remove", "path": "workload/spec/template/spec/tolerations"}],
	"the CR says nothing": [
		{"op": "remove", "path": "gateway/spec/pod"},
		{"op": "remove", "path": "workload/spec/template/spec/securityContext/sysctls"},
		{"op": "remove", "path": "workload/spec/template/spec/tolerations"},
		{"op": "remove", "path": "workload/spec/template/spec/nodeSelector"},
		{"op": "add", "path": "workload/spec/template/spec/containers/0/resources", "value": {}},
		{"op": "add", "path": "workload/spec/template/spec/containers/1/resources", "value": {}},
	],
}
