package tsunaro.rendered.defaults_test

import data.tsunaro.fixture
import data.tsunaro.rendered.defaults as rule

# REQ: RN-06
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/defaults"
	f.object != ""
}

denied := {
	"no history": [{"op": "remove", "path": "workload/spec/revisionHistoryLimit"}],
	"another scheduler": [{"op": "add", "path": "workload/spec/template/spec/schedulerName", "value": "x"}],
	"always pulled": [{"op": "add", "path": "workload/spec/template/spec/containers/0/imagePullPolicy", "value": "Always"}],
	"no message": [{"op": "add", "path": "workload/spec/template/spec/initContainers/0/terminationMessagePolicy", "value": "File"}],
	"no resources": [{"op": "remove", "path": "workload/spec/template/spec/containers/1/resources"}],
	"a mode": [{"op": "add", "path": "workload/spec/template/spec/volumes/0/configMap/defaultMode", "value": 511}],
	"no mode": [{"op": "remove", "path": "workload/spec/template/spec/volumes/2/projected/defaultMode"}],
	"no bound": [{"op": "add", "path": "workload/spec/template/spec/volumes/3/emptyDir", "value": {}}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
