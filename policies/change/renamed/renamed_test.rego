package tsunaro.change.renamed_test

import data.tsunaro.change.renamed as rule
import data.tsunaro.fixture

# REQ: UP-08
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"old": fixture.build, "new": fixture.changed(ops)}
	f.id == "change/renamed"
	f.object != ""
}

denied := {
	"another name": [
		{"op": "add", "path": "account/metadata/labels/tsunaro.io~1gateway", "value": "new"},
		{"op": "add", "path": "role/metadata/labels/tsunaro.io~1gateway", "value": "new"},
		{"op": "add", "path": "binding/metadata/labels/tsunaro.io~1gateway", "value": "new"},
		{"op": "add", "path": "config/metadata/labels/tsunaro.io~1gateway", "value": "new"},
		{"op": "add", "path": "headless/metadata/labels/tsunaro.io~1gateway", "value": "new"},
		{"op": "add", "path": "dns/metadata/labels/tsunaro.io~1gateway", "value": "new"},
		{"op": "add", "path": "lb/metadata/labels/tsunaro.io~1gateway", "value": "new"},
		{"op": "add", "path": "budget/metadata/labels/tsunaro.io~1gateway", "value": "new"},
		{"op": "add", "path": "workload/metadata/labels/tsunaro.io~1gateway", "value": "new"},
		{"op": "add", "path": "account/metadata/name", "value": "new"},
		{"op": "add", "path": "role/metadata/name", "value": "new"},
		{"op": "add", "path": "binding/metadata/name", "value": "new"},
		{"op": "add", "path": "headless/metadata/name", "value": "new"},
		{"op": "add", "path": "budget/metadata/name", "value": "new"},
		{"op": "add", "path": "workload/metadata/name", "value": "new"},
		{"op": "add", "path": "lb/metadata/name", "value": "new-lb"},
		{"op": "add", "path": "config/metadata/name", "value": "new-coredns"},
		{"op": "add", "path": "gateway/metadata/name", "value": "new"},
	],
}

test_accepts if {
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.build}
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.changed(ops)}
}

accepted := {
	"gone": [
		{"op": "remove", "path": "account"},
		{"op": "remove", "path": "role"},
		{"op": "remove", "path": "binding"},
		{"op": "remove", "path": "config"},
		{"op": "remove", "path": "headless"},
		{"op": "remove", "path": "dns"},
		{"op": "remove", "path": "lb"},
		{"op": "remove", "path": "budget"},
		{"op": "remove", "path": "workload"},
		{"op": "remove", "path": "gateway"},
	],
	"suspended": [
		{"op": "remove", "path": "account"},
		{"op": "remove", "path": "role"},
		{"op": "remove", "path": "binding"},
		{"op": "remove", "path": "config"},
		{"op": "remove", "path": "headless"},
		{"op": "remove", "path": "dns"},
		{"op": "remove", "path": "lb"},
		{"op": "remove", "path": "budget"},
		{"op": "remove", "path": "workload"},
		{"op": "add", "path": "gateway/spec/suspend", "value": true},
	],
}
