package tsunaro.rendered.nine_test

import data.tsunaro.fixture
import data.tsunaro.rendered.nine as rule

# REQ: RN-02, RN-13
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/nine"
	f.object != ""
}

denied := {
	"a DNS Service of no version": [{"op": "remove", "path": "dns/apiVersion"}],
	"a Role is gone": [{"op": "remove", "path": "role"}],
	"the DNS Service is gone": [{"op": "remove", "path": "dns"}],
	"two DNS Services": [
		{"op": "copy", "from": "dns", "path": "other"},
		{"op": "add", "path": "other/metadata/name", "value": "other-dns"},
	],
	"twice the same": [{"op": "copy", "from": "role", "path": "other"}],
	"twice the same in two versions": [
		{"op": "copy", "from": "budget", "path": "other"},
		{"op": "add", "path": "other/apiVersion", "value": "policy/v1beta1"},
	],
	"none of the nine": [
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
	"nothing at all": [
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
	"a ConfigMap too many": [
		{"op": "copy", "from": "config", "path": "other"},
		{"op": "add", "path": "other/metadata/name", "value": "other"},
	],
	"a version that is none": [{"op": "add", "path": "budget/apiVersion", "value": "policy/v1beta1"}],
	"suspended": [{"op": "add", "path": "gateway/spec/suspend", "value": true}],
	"suspended by default": [{"op": "remove", "path": "gateway/spec/suspend"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"suspended and gone": [
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
	"the CR is in another build": [{"op": "remove", "path": "gateway"}],
}
