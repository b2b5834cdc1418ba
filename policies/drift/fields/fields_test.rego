package tsunaro.drift.fields_test

import data.tsunaro.drift.fields as rule
import data.tsunaro.fixture

# REQ: ST-06, LC-16
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"desired": fixture.alone([]), "live": fixture.alone(ops)}
	f.id == "drift/fields"
	f.object != ""
}

denied := {
	"a verb": [{"op": "add", "path": "role/rules/0/verbs/-", "value": "create"}],
	"a container": [{"op": "add", "path": "workload/spec/template/spec/containers/-", "value": {"name": "x"}}],
	"a cluster address": [{"op": "add", "path": "dns/spec/clusterIP", "value": "10.96.0.61"}],
	"a key": [{"op": "add", "path": "config/data/x", "value": "y"}],
	"our own label": [{"op": "remove", "path": "role/metadata/labels/tsunaro.io~1gateway"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as {"desired": fixture.alone([]), "live": fixture.alone([])}
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as {"desired": fixture.alone([]), "live": fixture.alone(ops)}
}

accepted := {
	"what a server writes": [
		{"op": "add", "path": "role/metadata/uid", "value": "x"},
		{"op": "add", "path": "workload/status", "value": {"replicas": 1}},
		{"op": "add", "path": "lb/spec/clusterIP", "value": "10.96.0.7"},
		{"op": "add", "path": "lb/spec/clusterIPs", "value": ["10.96.0.7"]},
		{"op": "add", "path": "role/metadata/managedFields", "value": []},
	],
	"what the minter writes": [
		{"op": "add", "path": "config/data/zone.db", "value": "x"},
		{"op": "add", "path": "config/metadata/annotations/tsunaro.io~1dns-serial", "value": "7"},
	],
	"what is mutable": [
		{"op": "add", "path": "workload/spec/template/spec/containers/0/image", "value": "x:v1.2.3"},
		{"op": "add", "path": "workload/spec/template/spec/containers/0/env/5/value", "value": "10.1.0.0/16"},
		{"op": "add", "path": "lb/metadata/labels/lb-pool", "value": "x"},
	],
	"gone": [{"op": "remove", "path": "role"}],
}
