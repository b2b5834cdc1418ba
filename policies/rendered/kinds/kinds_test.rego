package tsunaro.rendered.kinds_test

import data.tsunaro.fixture
import data.tsunaro.rendered.kinds as rule

# REQ: RN-02, LC-18
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/kinds"
	f.object != ""
}

denied := {
	"a Secret": [{"op": "add", "path": "other", "value": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x", "labels": {"tsunaro.io/gateway": "a23456789-b23456789-c23456789-d234567890"}}}}],
	"a NetworkPolicy": [{"op": "add", "path": "other", "value": {"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "x", "labels": {"tsunaro.io/gateway": "a23456789-b23456789-c23456789-d234567890"}}}}],
	"the state Secret": [{"op": "add", "path": "other", "value": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a23456789-b23456789-c23456789-d234567890-state"}}}],
	"a receipt": [{"op": "add", "path": "other", "value": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a23456789-b23456789-c23456789-d234567890-fresh"}}}],
	"the registry": [{"op": "add", "path": "other", "value": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "tsunaro-bindings"}}}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"somebody else's Secret": [{"op": "add", "path": "other", "value": {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "x"}}}],
}
