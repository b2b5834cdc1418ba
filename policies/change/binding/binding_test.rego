package tsunaro.change.binding_test

import data.tsunaro.change.binding as rule
import data.tsunaro.fixture

# REQ: RN-05
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"old": fixture.build, "new": fixture.changed(ops)}
	f.id == "change/binding"
	f.object != ""
}

denied := {
	"another UID": [{"op": "add", "path": "role/metadata/labels/tsunaro.io~1gateway-uid", "value": "00000000-0000-4000-8000-000000000001"}],
	"unbound again": [
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
	"no UID": [{"op": "remove", "path": "role/metadata/labels/tsunaro.io~1state-uid"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.build}
}
