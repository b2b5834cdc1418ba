package tsunaro.change.tailnet_test

import data.tsunaro.change.tailnet as rule
import data.tsunaro.fixture

# REQ: UP-01, UP-08
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"old": fixture.build, "new": fixture.changed(ops)}
	f.id == "change/tailnet"
	f.object != ""
}

denied := {
	"the server": [{"op": "add", "path": "tailnet/spec/controlURL", "value": "https://h.example"}],
	"the namespace": [{"op": "remove", "path": "tailnet/spec/operatorNamespace"}],
	"the hosts source": [{"op": "add", "path": "tailnet/spec/dns/hostsConfigMapRef/name", "value": "x"}],
	"the authority": [{"op": "remove", "path": "tailnet/spec/caBundleConfigMapRef"}],
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
		{"op": "remove", "path": "tailnet/spec/apiURL"},
		{"op": "remove", "path": "tailnet/spec/bootstrapSecretRef"},
		{"op": "add", "path": "tailnet/spec/policy/mode", "value": "DryRun"},
	],
	"gone": [{"op": "remove", "path": "tailnet"}],
}
