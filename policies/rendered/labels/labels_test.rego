package tsunaro.rendered.labels_test

import data.tsunaro.fixture
import data.tsunaro.rendered.labels as rule

# REQ: RN-04
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/labels"
	f.object != ""
}

denied := {
	"no gateway UID": [{"op": "remove", "path": "role/metadata/labels/tsunaro.io~1gateway-uid"}],
	"no labels": [{"op": "add", "path": "config/metadata/labels", "value": {"tsunaro.io/gateway": "a23456789-b23456789-c23456789-d234567890"}}],
	"a key that is not ours": [{"op": "add", "path": "role/metadata/labels/tsunaro.io~1pool", "value": "x"}],
	"pool keys elsewhere": [{"op": "add", "path": "dns/metadata/annotations/tsunaro.io~1pool-label-keys", "value": "team"}],
	"a pool key without its label": [{"op": "remove", "path": "lb/metadata/labels/lb-pool"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"a label of the user's": [
		{"op": "add", "path": "account/metadata/labels/team", "value": "net"},
		{"op": "add", "path": "role/metadata/labels/team", "value": "net"},
		{"op": "add", "path": "binding/metadata/labels/team", "value": "net"},
		{"op": "add", "path": "config/metadata/labels/team", "value": "net"},
		{"op": "add", "path": "headless/metadata/labels/team", "value": "net"},
		{"op": "add", "path": "dns/metadata/labels/team", "value": "net"},
		{"op": "add", "path": "lb/metadata/labels/team", "value": "net"},
		{"op": "add", "path": "budget/metadata/labels/team", "value": "net"},
		{"op": "add", "path": "workload/metadata/labels/team", "value": "net"},
	],
}
