package tsunaro.rendered.configuration_test

import data.tsunaro.fixture
import data.tsunaro.rendered.configuration as rule

# REQ: PD-07, DN-09
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/configuration"
	f.object != ""
}

denied := {
	"an address of another version": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/0/valueFrom/fieldRef/apiVersion", "value": "v2"}],
	"another directory": [{"op": "add", "path": "workload/spec/template/spec/containers/1/workingDir", "value": "/"}],
	"other arguments": [{"op": "remove", "path": "workload/spec/template/spec/containers/1/args"}],
	"metrics off": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/15/value", "value": "false"}],
	"metrics for all": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/13/value", "value": "0.0.0.0:8080"}],
	"another address": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/0/valueFrom/fieldRef/fieldPath", "value": "status.hostIP"}],
	"no Corefile": [{"op": "remove", "path": "config/data/Corefile"}],
	"no newline": [{"op": "add", "path": "config/data/zone.db", "value": "x"}],
	"a key that is none": [{"op": "add", "path": "config/data/x", "value": "y"}],
	"bytes": [{"op": "add", "path": "config/binaryData", "value": {}}],
	"immutable": [{"op": "add", "path": "config/immutable", "value": true}],
	"no serial": [{"op": "remove", "path": "config/metadata/annotations/tsunaro.io~1dns-serial"}],
	"no hash": [{"op": "add", "path": "config/metadata/annotations/tsunaro.io~1dns-content-sha256", "value": "x"}],
	"another serial": [{"op": "add", "path": "config/metadata/annotations/tsunaro.io~1dns-serial", "value": "2"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
