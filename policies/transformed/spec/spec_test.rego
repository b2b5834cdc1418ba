package tsunaro.transformed.spec_test

import data.tsunaro.fixture
import data.tsunaro.transformed.spec as rule

# REQ: UP-02, LC-16
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "transformed/spec"
	f.object != ""
}

denied := {
	"another authority": [{"op": "add", "path": "tailnet/spec/caBundleConfigMapRef/name", "value": "x"}],
	"no authority": [{"op": "remove", "path": "tailnet/spec/caBundleConfigMapRef"}],
	"the LB address": [{"op": "add", "path": "lb/spec/loadBalancerIP", "value": "10.99.0.54"}],
	"the DNS address": [{"op": "add", "path": "gateway/spec/dns/clusterIP", "value": "10.96.0.61"}],
	"an image": [{"op": "add", "path": "gateway/spec/images/coredns", "value": "registry.example/coredns:v1.14.6"}],
	"the node": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/4/value", "value": "x"}],
	"a node that goes by the name": [{"op": "remove", "path": "gateway/spec/hostname"}],
	"a route": [{"op": "add", "path": "gateway/spec/routes/lan/-", "value": "192.168.44.0/24"}],
	"the LB range": [{"op": "add", "path": "gateway/spec/tailnetLBCIDR", "value": "10.98.0.0/24"}],
	"a pool label": [{"op": "add", "path": "lb/metadata/labels/lb-pool", "value": "off"}],
	"a pool key": [{"op": "add", "path": "lb/metadata/annotations/tsunaro.io~1pool-label-keys", "value": "lb-pool"}],
	"pool labels of nobody": [{"op": "remove", "path": "gateway/spec/poolLabels"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
