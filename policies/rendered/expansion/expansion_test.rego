package tsunaro.rendered.expansion_test

import data.tsunaro.fixture
import data.tsunaro.rendered.expansion as rule

# REQ: RN-05
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/expansion"
	f.object != ""
}

denied := {
	"in a zone": [{"op": "add", "path": "config/data/Corefile", "value": "${x}\n"}],
	"in an annotation": [{"op": "add", "path": "role/metadata/annotations/note", "value": "${x}"}],
	"another gateway's": [{"op": "add", "path": "dns/spec/selector/tsunaro.io~1gateway-uid", "value": "${other_gateway_uid:=<unbound>}"}],
	"for the kubelet": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/4/value", "value": "$(HOSTNAME)"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"unbound": [
		{"op": "add", "path": "account/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "account/metadata/labels/tsunaro.io~1state-uid", "value": "${a23456789_b23456789_c23456789_d234567890_state_uid:=<unbound>}"},
		{"op": "add", "path": "role/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "role/metadata/labels/tsunaro.io~1state-uid", "value": "${a23456789_b23456789_c23456789_d234567890_state_uid:=<unbound>}"},
		{"op": "add", "path": "binding/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "binding/metadata/labels/tsunaro.io~1state-uid", "value": "${a23456789_b23456789_c23456789_d234567890_state_uid:=<unbound>}"},
		{"op": "add", "path": "config/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "config/metadata/labels/tsunaro.io~1state-uid", "value": "${a23456789_b23456789_c23456789_d234567890_state_uid:=<unbound>}"},
		{"op": "add", "path": "headless/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "headless/metadata/labels/tsunaro.io~1state-uid", "value": "${a23456789_b23456789_c23456789_d234567890_state_uid:=<unbound>}"},
		{"op": "add", "path": "dns/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "dns/metadata/labels/tsunaro.io~1state-uid", "value": "${a23456789_b23456789_c23456789_d234567890_state_uid:=<unbound>}"},
		{"op": "add", "path": "lb/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "lb/metadata/labels/tsunaro.io~1state-uid", "value": "${a23456789_b23456789_c23456789_d234567890_state_uid:=<unbound>}"},
		{"op": "add", "path": "budget/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "budget/metadata/labels/tsunaro.io~1state-uid", "value": "${a23456789_b23456789_c23456789_d234567890_state_uid:=<unbound>}"},
		{"op": "add", "path": "workload/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "workload/metadata/labels/tsunaro.io~1state-uid", "value": "${a23456789_b23456789_c23456789_d234567890_state_uid:=<unbound>}"},
	],
}
