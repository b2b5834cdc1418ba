package tsunaro.rendered.format_test

import data.tsunaro.fixture
import data.tsunaro.rendered.format as rule

# REQ: RN-11
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/format"
	f.object != ""
}

denied := {
	"none": [{"op": "remove", "path": "role/metadata/annotations/tsunaro.io~1render-format"}],
	"a word": [{"op": "add", "path": "role/metadata/annotations/tsunaro.io~1render-format", "value": "one"}],
	"two": [{"op": "add", "path": "role/metadata/annotations/tsunaro.io~1render-format", "value": "2"}],
	"not that of the CR": [
		{"op": "add", "path": "account/metadata/annotations/tsunaro.io~1render-format", "value": "2"},
		{"op": "add", "path": "role/metadata/annotations/tsunaro.io~1render-format", "value": "2"},
		{"op": "add", "path": "binding/metadata/annotations/tsunaro.io~1render-format", "value": "2"},
		{"op": "add", "path": "config/metadata/annotations/tsunaro.io~1render-format", "value": "2"},
		{"op": "add", "path": "headless/metadata/annotations/tsunaro.io~1render-format", "value": "2"},
		{"op": "add", "path": "dns/metadata/annotations/tsunaro.io~1render-format", "value": "2"},
		{"op": "add", "path": "lb/metadata/annotations/tsunaro.io~1render-format", "value": "2"},
		{"op": "add", "path": "budget/metadata/annotations/tsunaro.io~1render-format", "value": "2"},
		{"op": "add", "path": "workload/metadata/annotations/tsunaro.io~1render-format", "value": "2"},
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
	"a CR without a format": [{"op": "remove", "path": "gateway/spec/renderFormat"}],
}
