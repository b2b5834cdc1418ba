package tsunaro.transformed.references_test

import data.tsunaro.fixture
import data.tsunaro.transformed.references as rule

# REQ: RN-02, PD-05, PD-07
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "transformed/references"
	f.object != ""
}

denied := {
	"another Service": [{"op": "add", "path": "workload/spec/serviceName", "value": "x"}],
	"another account": [{"op": "add", "path": "workload/spec/template/spec/serviceAccountName", "value": "default"}],
	"another ConfigMap": [{"op": "add", "path": "workload/spec/template/spec/volumes/0/configMap/name", "value": "x"}],
	"no ConfigMap volume": [{"op": "remove", "path": "workload/spec/template/spec/volumes/0"}],
	"a key that is not there": [{"op": "remove", "path": "config/data/hosts"}],
	"a key that is not projected": [{"op": "remove", "path": "workload/spec/template/spec/volumes/0/configMap/items/2"}],
	"another state": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/2/value", "value": "x"}],
	"another key": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/1/valueFrom/secretKeyRef/name", "value": "x"}],
	"no headless Service": [{"op": "remove", "path": "headless"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
