# METADATA
# title: Each volume where it is needed, and nowhere else
# description: |
#   TUN device, service-account token and state are mounted in the Tailscale
#   container only; the preflight sees the device, read-only. The token is projected
#   and rotates, and automount is off. No volume is a Secret, a directory of the node
#   or a claim.
# custom:
#   id: rendered/mounts
#   requirements: [PD-05]
#   severity: error
#   remedy: leave volumes and volumeMounts as rendered
package tsunaro.rendered.mounts

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

# The bundle of a private certificate authority is there if the Tailnet has one.
allowed := {
	"kernel-preflight": {["tun", "/dev/net/tun", true]},
	"tailscale": {
		["tun", "/dev/net/tun", null],
		["kube-api-access", "/var/run/secrets/kubernetes.io/serviceaccount", true],
		["state", "/var/lib/tailscale", null],
		["run", "/var/run/tailscale", null],
		["tmp", "/tmp", null],
		["ca-bundle", "/etc/tsunaro/ca", true],
	},
	"coredns": {["config", "/etc/coredns", true]},
}

optional := {"ca-bundle"}

mounts(o, name) := [[obj.get(m, ["name"]), obj.get(m, ["mountPath"]), obj.get(m, ["readOnly"])] |
	some m in obj.items(build.container(o, name), ["volumeMounts"])
]

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name, want in allowed
	some [volume, path, _] in (want - {m | some m in mounts(o, name)})
	not optional_and_absent(o, volume)
	f := finding.of(rego.metadata.chain(), obj.id(o), place(name), sprintf("must mount %s at %s", [volume, path]))
}

optional_and_absent(o, volume) if {
	volume in optional
	not volume in {obj.get(v, ["name"]) | some v in obj.items(o, ["spec", "template", "spec", "volumes"])}
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name, want in allowed
	some mount in mounts(o, name)
	not mount in want
	f := finding.of(rego.metadata.chain(), obj.id(o), place(name), sprintf("must not mount %v at %v", [mount[0], mount[1]]))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name in object.keys(allowed)
	some m in obj.items(build.container(o, name), ["volumeMounts"])
	some key in (object.keys(m) - {"name", "mountPath", "readOnly"})
	f := finding.of(rego.metadata.chain(), obj.id(o), place(name), sprintf("must not use %s", [key]))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name in object.keys(allowed)
	some key in ["volumeDevices", "envFrom"]
	obj.get(build.container(o, name), [key]) != null
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[%s].%s", [name, key]), "must not be set")
}

place(name) := sprintf("spec.template.spec.containers[%s].volumeMounts", [name])

# What a volume is, by its name.
sources := {
	"config": {"configMap"},
	"tun": {"hostPath"},
	"kube-api-access": {"projected"},
	"state": {"emptyDir"},
	"run": {"emptyDir"},
	"tmp": {"emptyDir"},
	"ca-bundle": {"configMap"},
}

volumes_path := ["spec", "template", "spec", "volumes"]

deny contains f if {
	some o in build.in_role("StatefulSet")
	some v in obj.items(o, volumes_path)
	object.keys(v) - {"name"} != object.get(sources, obj.get(v, ["name"]), set())
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.volumes[%v]", [obj.get(v, ["name"])]), "is not a volume of a gateway, or not of its kind")
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	names := [obj.get(v, ["name"]) | some v in obj.items(o, volumes_path)]
	some name in (object.keys(sources) - optional)
	count([n | some n in names; n == name]) != 1
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(volumes_path), sprintf("must hold one volume %s", [name]))
}

token := [
	{"serviceAccountToken": {"expirationSeconds": 3600, "path": "token"}},
	{"configMap": {"items": [{"key": "ca.crt", "path": "ca.crt"}], "name": "kube-root-ca.crt"}},
	{"downwardAPI": {"items": [{"fieldRef": {"apiVersion": "v1", "fieldPath": "metadata.namespace"}, "path": "namespace"}]}},
]

deny contains f if {
	some o in build.in_role("StatefulSet")
	some v in obj.items(o, volumes_path)
	v.name == "kube-api-access"
	obj.get(v, ["projected", "sources"]) != token
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.template.spec.volumes[kube-api-access].projected.sources", "must be a token of an hour, the cluster's certificate and the namespace")
}

# A private authority is a volume, its mount and the variable that names the file.
deny contains f if {
	some o in build.in_role("StatefulSet")
	want := certificates(o)
	have := build.value(build.container(o, "tailscale"), "SSL_CERT_FILE")
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.template.spec.containers[tailscale].env[SSL_CERT_FILE]", finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some v in obj.items(o, volumes_path)
	v.name == "ca-bundle"
	not one_file(v)
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.template.spec.volumes[ca-bundle].configMap.items", "must be one key, as ca.crt")
}

certificates(o) := null if optional_and_absent(o, "ca-bundle")

else := "/etc/tsunaro/ca/ca.crt"

one_file(v) if {
	[item] := v.configMap.items
	item.path == "ca.crt"
	item.key != ""
}

deny contains f if {
	some role, path in {"StatefulSet": ["spec", "template", "spec", "automountServiceAccountToken"], "ServiceAccount": ["automountServiceAccountToken"]}
	some o in build.in_role(role)
	some [at, want, have] in obj.differs(o, {path: false})
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(at), finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("ServiceAccount")
	some key in ["secrets", "imagePullSecrets"]
	obj.get(o, [key]) != null
	f := finding.of(rego.metadata.chain(), obj.id(o), key, "must not be set")
}
