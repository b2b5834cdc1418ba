package tsunaro.rendered.spelling_test

import data.tsunaro.fixture
import data.tsunaro.rendered.spelling as rule

# REQ: RN-06, B13
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/spelling"
	f.object != ""
}

denied := {
	"no resources, as null": [{"op": "add", "path": "workload/spec/template/spec/containers/0/resources", "value": null}],
	"a null": [{"op": "add", "path": "workload/spec/template/spec/containers/0/command", "value": null}],
	"an empty text": [{"op": "add", "path": "lb/spec/clusterIP", "value": ""}],
	"an empty object": [{"op": "add", "path": "budget/spec/selector/x", "value": {}}],
	"an empty list": [{"op": "add", "path": "workload/spec/template/spec/tolerations", "value": []}],
	"a status": [{"op": "add", "path": "workload/status", "value": {}}],
	"a time": [{"op": "add", "path": "role/metadata/creationTimestamp", "value": null}],
	"a UID": [{"op": "add", "path": "role/metadata/uid", "value": "x"}],
	"no protocol": [{"op": "remove", "path": "dns/spec/ports/0/protocol"}],
	"one name for two ports": [{"op": "add", "path": "dns/spec/ports/1/name", "value": "dns-udp"}],
	"half a processor": [{"op": "add", "path": "workload/spec/template/spec/containers/0/resources/requests/cpu", "value": 0.5}],
	"1000m": [{"op": "add", "path": "workload/spec/template/spec/containers/0/resources/limits/cpu", "value": "1000m"}],
	"1024Mi": [{"op": "add", "path": "workload/spec/template/spec/containers/0/resources/limits/memory", "value": "1024Mi"}],
	"1000M": [{"op": "add", "path": "workload/spec/template/spec/containers/0/resources/requests/memory", "value": "1000M"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"no resources": [{"op": "add", "path": "workload/spec/template/spec/containers/0/resources", "value": {}}],
	"zero": [{"op": "add", "path": "workload/spec/template/spec/containers/0/resources/requests/cpu", "value": "0"}],
	"an empty annotation": [{"op": "add", "path": "role/metadata/annotations/note", "value": ""}],
	"an empty hosts key": [{"op": "add", "path": "config/data/hosts", "value": ""}],
}
