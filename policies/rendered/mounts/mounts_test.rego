package tsunaro.rendered.mounts_test

import data.tsunaro.fixture
import data.tsunaro.rendered.mounts as rule

# REQ: PD-05
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/mounts"
	f.object != ""
}

denied := {
	"an authority under another name": [{"op": "add", "path": "workload/spec/template/spec/volumes/6/configMap/items/0/path", "value": "x"}],
	"an authority that nothing reads": [{"op": "remove", "path": "workload/spec/template/spec/containers/0/env/17"}],
	"TUN in CoreDNS": [{"op": "add", "path": "workload/spec/template/spec/containers/1/volumeMounts/-", "value": {"mountPath": "/dev/net/tun", "name": "tun"}}],
	"no state": [{"op": "remove", "path": "workload/spec/template/spec/containers/0/volumeMounts/2"}],
	"TUN writable in the preflight": [{"op": "remove", "path": "workload/spec/template/spec/initContainers/0/volumeMounts/0/readOnly"}],
	"subPath": [{"op": "add", "path": "workload/spec/template/spec/containers/1/volumeMounts/0/subPath", "value": "Corefile"}],
	"automount": [{"op": "add", "path": "workload/spec/template/spec/automountServiceAccountToken", "value": true}],
	"automount of the account": [{"op": "remove", "path": "account/automountServiceAccountToken"}],
	"a Secret": [{"op": "add", "path": "workload/spec/template/spec/volumes/-", "value": {"name": "x", "secret": {"secretName": "x"}}}],
	"a state on the node": [{"op": "replace", "path": "workload/spec/template/spec/volumes/3", "value": {"name": "state", "hostPath": {"path": "/x"}}}],
	"no token": [{"op": "remove", "path": "workload/spec/template/spec/volumes/2"}],
	"a token for ever": [{"op": "add", "path": "workload/spec/template/spec/volumes/2/projected/sources/0/serviceAccountToken/expirationSeconds", "value": 86400}],
	"envFrom": [{"op": "add", "path": "workload/spec/template/spec/containers/0/envFrom", "value": [{}]}],
	"a pull secret": [{"op": "add", "path": "account/imagePullSecrets", "value": [{"name": "x"}]}],
	"no authority": [{"op": "remove", "path": "workload/spec/template/spec/containers/0/volumeMounts/5"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"no authority and none asked for": [
		{"op": "remove", "path": "workload/spec/template/spec/containers/0/env/17"},
		{"op": "remove", "path": "workload/spec/template/spec/containers/0/volumeMounts/5"},
		{"op": "remove", "path": "workload/spec/template/spec/volumes/6"},
	],
}
