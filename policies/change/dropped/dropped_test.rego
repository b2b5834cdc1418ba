package tsunaro.change.dropped_test

import data.tsunaro.change.dropped as rule
import data.tsunaro.fixture

# REQ: UP-08
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"old": fixture.build, "new": fixture.changed(ops)}
	f.id == "change/dropped"
	f.object != ""
}

denied := {
	"one of the nine": [{"op": "remove", "path": "role"}],
	"all of them": [
		{"op": "remove", "path": "account"},
		{"op": "remove", "path": "role"},
		{"op": "remove", "path": "binding"},
		{"op": "remove", "path": "config"},
		{"op": "remove", "path": "headless"},
		{"op": "remove", "path": "dns"},
		{"op": "remove", "path": "lb"},
		{"op": "remove", "path": "budget"},
		{"op": "remove", "path": "workload"},
	],
	"in another namespace": [{"op": "add", "path": "role/metadata/namespace", "value": "other"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.build}
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.changed(ops)}
}

accepted := {
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
	"suspended by default": [
		{"op": "remove", "path": "account"},
		{"op": "remove", "path": "role"},
		{"op": "remove", "path": "binding"},
		{"op": "remove", "path": "config"},
		{"op": "remove", "path": "headless"},
		{"op": "remove", "path": "dns"},
		{"op": "remove", "path": "lb"},
		{"op": "remove", "path": "budget"},
		{"op": "remove", "path": "workload"},
		{"op": "remove", "path": "gateway/spec/suspend"},
	],
	"consented": [
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
	"consented, with its Tailnet": [
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
		{"op": "remove", "path": "tailnet"},
	],
	"renamed, which is another rule": [
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

# Without consent, the CRs stay as well.
test_denies_without_consent[object] if {
	some object, ops in {
		"TailnetGateway/a23456789-b23456789-c23456789-d234567890": [{"op": "remove", "path": "gateway"}],
		"Tailnet/office": [{"op": "remove", "path": "tailnet"}],
	}
	some f in rule.deny with input as {
		"old": fixture.changed([{"op": "add", "path": "gateway/spec/deletionPolicy", "value": "Retain"}]),
		"new": fixture.changed(ops),
	}
	f.object == object
}
