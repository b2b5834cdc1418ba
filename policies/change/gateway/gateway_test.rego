package tsunaro.change.gateway_test

import data.tsunaro.change.gateway as rule
import data.tsunaro.fixture

# REQ: UP-01, UP-08
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"old": fixture.build, "new": fixture.changed(ops)}
	f.id == "change/gateway"
	f.object != ""
}

denied := {
	"the address": [{"op": "add", "path": "gateway/spec/loadBalancerIP", "value": "10.99.0.54"}],
	"a tag": [{"op": "add", "path": "gateway/spec/tags/-", "value": "tag:x"}],
	"the zone": [{"op": "add", "path": "gateway/spec/dns/zone", "value": "x.example"}],
	"an extra zone": [{"op": "remove", "path": "gateway/spec/dns/extraZones/0"}],
	"no extra zones": [{"op": "remove", "path": "gateway/spec/dns/extraZones"}],
	"resources": [{"op": "add", "path": "gateway/spec/pod/resources/coredns/limits/memory", "value": "1Gi"}],
	"a sysctl": [{"op": "remove", "path": "gateway/spec/pod/sysctls"}],
	"hostname": [{"op": "remove", "path": "gateway/spec/hostname"}],
	"its Tailnet": [{"op": "add", "path": "gateway/spec/tailnetRef/name", "value": "x"}],
	"the format": [{"op": "add", "path": "gateway/spec/renderFormat", "value": 2}],
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
		{"op": "add", "path": "gateway/spec/suspend", "value": true},
		{"op": "add", "path": "gateway/spec/images/coredns", "value": "x:v1.2.3"},
		{"op": "add", "path": "gateway/spec/routes/lan", "value": ["10.1.0.0/16"]},
		{"op": "add", "path": "gateway/spec/poolLabels", "value": {}},
		{"op": "remove", "path": "gateway/spec/dns/records"},
		{"op": "add", "path": "gateway/spec/deletionPolicy", "value": "Retain"},
		{"op": "add", "path": "gateway/spec/tailnetLBCIDR", "value": "10.98.0.0/24"},
	],
	"defaults left out": [
		{"op": "remove", "path": "gateway/spec/renderFormat"},
		{"op": "remove", "path": "gateway/spec/stateSecretRef"},
	],
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
}
