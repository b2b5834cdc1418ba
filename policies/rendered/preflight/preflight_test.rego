package tsunaro.rendered.preflight_test

import data.tsunaro.fixture
import data.tsunaro.rendered.preflight as rule

# REQ: PD-02
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/preflight"
	f.object != ""
}

denied := {
	"none": [{"op": "remove", "path": "workload/spec/template/spec/initContainers"}],
	"arguments": [{"op": "add", "path": "workload/spec/template/spec/initContainers/0/args", "value": ["x"]}],
	"another shell": [{"op": "replace", "path": "workload/spec/template/spec/initContainers/0/command/0", "value": "/bin/bash"}],
	"no script": [{"op": "remove", "path": "workload/spec/template/spec/initContainers/0/command/2"}],
	"a script that does nothing": [{"op": "replace", "path": "workload/spec/template/spec/initContainers/0/command/2", "value": "true"}],
	"a script that writes": [{"op": "replace", "path": "workload/spec/template/spec/initContainers/0/command/2", "value": "set -u\nstop() { exit 1; }\n[ -c /dev/net/tun ] || stop\n[ \"$(cat /proc/sys/net/ipv4/ip_forward)\" = 1 ] || stop\necho 1 > /proc/sys/net/ipv4/ip_forward\n"}],
	"a script that sets": [{"op": "replace", "path": "workload/spec/template/spec/initContainers/0/command/2", "value": "set -u\nstop() { exit 1; }\n[ -c /dev/net/tun ] || stop\n[ \"$(cat /proc/sys/net/ipv4/ip_forward)\" = 1 ] || stop\nsysctl -w net/ipv4/ip_forward=1\n"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"a script in other words": [{"op": "replace", "path": "workload/spec/template/spec/initContainers/0/command/2", "value": "set -u\nstop() { exit 1; }\n[ -c /dev/net/tun ] || stop\n[ \"$(cat /proc/sys/net/ipv4/ip_forward)\" = 1 ] || stop\n"}],
}
