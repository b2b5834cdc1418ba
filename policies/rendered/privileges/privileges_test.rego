package tsunaro.rendered.privileges_test

import data.tsunaro.fixture
import data.tsunaro.rendered.privileges as rule

# REQ: PD-01
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/privileges"
	f.object != ""
}

denied := {
	"host network": [{"op": "add", "path": "workload/spec/template/spec/hostNetwork", "value": true}],
	"privileged": [{"op": "add", "path": "workload/spec/template/spec/containers/0/securityContext/privileged", "value": true}],
	"SYS_ADMIN": [{"op": "add", "path": "workload/spec/template/spec/containers/0/securityContext/capabilities/add", "value": ["NET_ADMIN", "SYS_ADMIN"]}],
	"no context": [{"op": "remove", "path": "workload/spec/template/spec/containers/1/securityContext"}],
	"a root that may be written": [{"op": "add", "path": "workload/spec/template/spec/containers/1/securityContext/readOnlyRootFilesystem", "value": false}],
	"root for CoreDNS": [{"op": "add", "path": "workload/spec/template/spec/containers/1/securityContext/runAsUser", "value": 0}],
	"a third container": [{"op": "copy", "from": "workload/spec/template/spec/containers/1", "path": "workload/spec/template/spec/containers/2"}],
	"a debug container": [{"op": "add", "path": "workload/spec/template/spec/ephemeralContainers", "value": [{"name": "debug"}]}],
	"the other order": [{"op": "move", "from": "workload/spec/template/spec/containers/1", "path": "workload/spec/template/spec/containers/0"}],
	"no seccomp": [{"op": "remove", "path": "workload/spec/template/spec/securityContext/seccompProfile"}],
	"a group": [{"op": "add", "path": "workload/spec/template/spec/securityContext/fsGroup", "value": 0}],
	"service links": [{"op": "remove", "path": "workload/spec/template/spec/enableServiceLinks"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
