package tsunaro.rendered.binding_test

import data.tsunaro.fixture
import data.tsunaro.rendered.binding as rule

# REQ: RN-05
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/binding"
	f.object != ""
}

denied := {
	"no UID": [{"op": "add", "path": "role/metadata/labels/tsunaro.io~1gateway-uid", "value": "mine"}],
	"another gateway's placeholder": [
		{"op": "add", "path": "account/metadata/labels/tsunaro.io~1gateway-uid", "value": "${other_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "role/metadata/labels/tsunaro.io~1gateway-uid", "value": "${other_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "binding/metadata/labels/tsunaro.io~1gateway-uid", "value": "${other_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "config/metadata/labels/tsunaro.io~1gateway-uid", "value": "${other_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "headless/metadata/labels/tsunaro.io~1gateway-uid", "value": "${other_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "dns/metadata/labels/tsunaro.io~1gateway-uid", "value": "${other_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "lb/metadata/labels/tsunaro.io~1gateway-uid", "value": "${other_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "budget/metadata/labels/tsunaro.io~1gateway-uid", "value": "${other_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "workload/metadata/labels/tsunaro.io~1gateway-uid", "value": "${other_gateway_uid:=<unbound>}"},
	],
	"two UIDs": [{"op": "add", "path": "role/metadata/labels/tsunaro.io~1gateway-uid", "value": "00000000-0000-4000-8000-000000000001"}],
	"bound by half": [
		{"op": "add", "path": "account/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "role/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "binding/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "config/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "headless/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "dns/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "lb/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "budget/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
		{"op": "add", "path": "workload/metadata/labels/tsunaro.io~1gateway-uid", "value": "${a23456789_b23456789_c23456789_d234567890_gateway_uid:=<unbound>}"},
	],
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
