package tsunaro.transformed.template_test

import data.tsunaro.fixture
import data.tsunaro.transformed.template as rule

# REQ: UP-01, B03
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "transformed/template"
	f.object != ""
}

denied := {
	"a label": [{"op": "add", "path": "workload/spec/template/metadata/labels/team", "value": "net"}],
	"no labels": [{"op": "remove", "path": "workload/spec/template/metadata/labels"}],
	"an annotation": [{"op": "add", "path": "workload/spec/template/metadata/annotations", "value": {"team": "net"}}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
