package tsunaro.transformed.images_test

import data.tsunaro.fixture
import data.tsunaro.transformed.images as rule

# REQ: CF-03
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "transformed/images"
	f.object != ""
}

denied := {
	"latest": [{"op": "add", "path": "workload/spec/template/spec/containers/1/image", "value": "registry.example/coredns:latest"}],
	"bare": [{"op": "add", "path": "workload/spec/template/spec/containers/1/image", "value": "registry.example:5000/coredns"}],
	"a major version": [{"op": "add", "path": "workload/spec/template/spec/containers/1/image", "value": "coredns:1"}],
	"no image": [{"op": "remove", "path": "workload/spec/template/spec/containers/1/image"}],
	"a short digest": [{"op": "add", "path": "workload/spec/template/spec/containers/1/image", "value": "coredns@sha256:0123"}],
	"another one for the preflight": [{"op": "add", "path": "workload/spec/template/spec/initContainers/0/image", "value": "registry.example/x:v1.2.3"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"a digest": [{"op": "add", "path": "workload/spec/template/spec/containers/1/image", "value": "coredns@sha256:0000000000000000000000000000000000000000000000000000000000000000"}],
	"a revision": [{"op": "add", "path": "workload/spec/template/spec/containers/1/image", "value": "coredns:1.8.0.3-r2"}],
}
