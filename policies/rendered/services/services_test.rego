package tsunaro.rendered.services_test

import data.tsunaro.fixture
import data.tsunaro.rendered.services as rule

# REQ: RN-03
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/services"
	f.object != ""
}

denied := {
	"two families": [{"op": "add", "path": "dns/spec/ipFamilies", "value": ["IPv4", "IPv6"]}],
	"no policy": [{"op": "remove", "path": "lb/spec/ipFamilyPolicy"}],
	"node ports": [{"op": "remove", "path": "lb/spec/allocateLoadBalancerNodePorts"}],
	"a node port": [{"op": "add", "path": "lb/spec/ports/0/nodePort", "value": 30053}],
	"one protocol": [{"op": "remove", "path": "dns/spec/ports/1"}],
	"an address for nobody": [{"op": "add", "path": "headless/spec/clusterIP", "value": "10.96.0.1"}],
	"no DNS address": [
		{"op": "remove", "path": "dns/spec/clusterIP"},
		{"op": "remove", "path": "dns/spec/clusterIPs"},
	],
	"an empty DNS address": [{"op": "add", "path": "dns/spec/clusterIP", "value": ""}],
	"no LB address": [{"op": "remove", "path": "lb/spec/loadBalancerIP"}],
	"not an address": [{"op": "add", "path": "lb/spec/loadBalancerIP", "value": "10.99.0.530"}],
	"two lists that differ": [{"op": "add", "path": "dns/spec/clusterIPs", "value": ["10.96.0.61"]}],
	"an external address": [{"op": "add", "path": "dns/spec/externalIPs", "value": ["192.0.2.1"]}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
