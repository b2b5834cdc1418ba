package tsunaro.rendered.arguments_test

import data.tsunaro.fixture
import data.tsunaro.rendered.arguments as rule

# REQ: PD-03, B28
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/arguments"
	f.object != ""
}

denied := {
	"once": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/6/value", "value": "true"}],
	"userspace": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/8/value", "value": "true"}],
	"tags": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/7/value", "value": "--reset --accept-routes=false --advertise-tags=tag:x --login-server=https://h.example"}],
	"no reset": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/7/value", "value": "--accept-routes=false --login-server=https://h.example"}],
	"no arguments": [{"op": "remove", "path": "workload/spec/template/spec/containers/0/env/7"}],
	"force in another variable": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/4/value", "value": "x--force-reauth"}],
	"a variable of a newer containerboot": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/-", "value": {"name": "TS_TAILSCALED_EXTRA_ARGS", "value": "--debug"}}],
	"a variable twice": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/-", "value": {"name": "TS_HOSTNAME", "value": "x"}}],
	"a key in the open": [{"op": "replace", "path": "workload/spec/template/spec/containers/0/env/1", "value": {"name": "TS_AUTHKEY", "value": "tskey"}}],
	"a key that may be missing": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/1/valueFrom/secretKeyRef/optional", "value": true}],
	"no key": [{"op": "remove", "path": "workload/spec/template/spec/containers/0/env/1"}],
	"another entry point": [{"op": "add", "path": "workload/spec/template/spec/containers/0/command", "value": ["sh"]}],
	"a name with a space": [{"op": "add", "path": "workload/spec/template/spec/containers/0/env/4/value", "value": "a b"}],
	"an environment for CoreDNS": [{"op": "add", "path": "workload/spec/template/spec/containers/1/env", "value": [{"name": "A", "value": "b"}]}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}
