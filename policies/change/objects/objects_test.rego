package tsunaro.change.objects_test

import data.tsunaro.change.objects as rule
import data.tsunaro.fixture

# REQ: UP-01, UP-08, UP-11
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"old": fixture.build, "new": fixture.changed(ops)}
	f.id == "change/objects"
	f.object != ""
}

denied := {
	"whose it is": [{"op": "remove", "path": "role/metadata/labels/tsunaro.io~1gateway"}],
	"a probe": [{"op": "add", "path": "workload/spec/template/spec/containers/0/readinessProbe/periodSeconds", "value": 5}],
	"a variable": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/4/value", "value": "x"}],
	"the other order": [{"op": "move", "from": "workload/spec/template/spec/containers/0/env/3", "path": "workload/spec/template/spec/containers/0/env/4"}],
	"a container more": [{"op": "add", "path": "workload/spec/template/spec/containers/-", "value": {"name": "x"}}],
	"a selector": [{"op": "add", "path": "dns/spec/selector/team", "value": "net"}],
	"an address": [{"op": "add", "path": "lb/spec/loadBalancerIP", "value": "10.99.0.54"}],
	"a key of the ConfigMap": [{"op": "add", "path": "config/data/x", "value": "y"}],
	"our own label": [{"op": "add", "path": "role/metadata/labels/tsunaro.io~1x", "value": "y"}],
	"a field is gone": [{"op": "remove", "path": "budget/spec/minAvailable"}],
	"a list is empty": [{"op": "add", "path": "role/rules", "value": []}],
}

test_accepts if {
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.build}
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.changed(ops)}
}

accepted := {
	"what is mutable": [
		{"op": "add", "path": "workload/spec/template/spec/containers/0/image", "value": "x:v1.2.3"},
		{"op": "add", "path": "workload/spec/template/spec/initContainers/0/image", "value": "x:v1.2.3"},
		{"op": "add", "path": "workload/spec/template/spec/containers/0/env/5/value", "value": "10.1.0.0/16"},
		{"op": "add", "path": "lb/metadata/labels/lb-pool", "value": "x"},
		{"op": "add", "path": "lb/metadata/annotations/tsunaro.io~1pool-label-keys", "value": "x"},
		{"op": "add", "path": "config/data/zone.db", "value": "x"},
		{"op": "remove", "path": "config/data/hosts"},
		{"op": "add", "path": "config/metadata/annotations/tsunaro.io~1dns-content-sha256", "value": "x"},
		{"op": "add", "path": "role/metadata/annotations/note", "value": "x"},
	],
	"gone": [{"op": "remove", "path": "role"}],
}
