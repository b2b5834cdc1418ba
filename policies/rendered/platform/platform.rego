# METADATA
# title: Device, ports and processors
# description: |
#   The TUN device is checked to be one by the kubelet; ports have the names that
#   probes, Services and monitoring use, and none is the node's; Pods run on Linux on
#   amd64 and arm64.
# custom:
#   id: rendered/platform
#   requirements: [PD-10]
#   severity: error
#   remedy: leave the Pod template as rendered
package tsunaro.rendered.platform

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

ports := {
	"kernel-preflight": null,
	"tailscale": [{"containerPort": 8080, "name": "kernel-health", "protocol": "TCP"}],
	"coredns": [
		{"containerPort": 53, "name": "dns-udp", "protocol": "UDP"},
		{"containerPort": 53, "name": "dns-tcp", "protocol": "TCP"},
		{"containerPort": 9153, "name": "metrics-dns", "protocol": "TCP"},
	],
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name, want in ports
	have := obj.get(build.container(o, name), ["ports"])
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[%s].ports", [name]), finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some v in obj.items(o, ["spec", "template", "spec", "volumes"])
	v.name == "tun"
	have := obj.get(v, ["hostPath"])
	have != {"path": "/dev/net/tun", "type": "CharDevice"}
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.template.spec.volumes[tun].hostPath", finding.must({"path": "/dev/net/tun", "type": "CharDevice"}, have))
}

nodes := {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [{"matchExpressions": [
	{"key": "kubernetes.io/os", "operator": "In", "values": ["linux"]},
	{"key": "kubernetes.io/arch", "operator": "In", "values": ["amd64", "arm64"]},
]}]}}}

deny contains f if {
	some o in build.in_role("StatefulSet")
	obj.get(o, ["spec", "template", "spec", "affinity"]) != nodes
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.template.spec.affinity", "must ask for Linux on amd64 or arm64, and nothing else")
}
