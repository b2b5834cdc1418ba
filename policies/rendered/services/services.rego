# METADATA
# title: Three Services, IPv4 only, no node ports
# description: |
#   The DNS Service and the LoadBalancer have an explicit family and an explicit
#   address, the headless one has none; node ports are off; each serves DNS over UDP
#   and TCP.
# custom:
#   id: rendered/services
#   requirements: [RN-03, PD-10]
#   severity: error
#   remedy: leave the Service as rendered; addresses are set in the TailnetGateway
package tsunaro.rendered.services

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

common := {
	["spec", "ipFamilies"]: ["IPv4"],
	["spec", "ipFamilyPolicy"]: "SingleStack",
	["spec", "sessionAffinity"]: "None",
	["spec", "internalTrafficPolicy"]: "Cluster",
	["spec", "externalName"]: null,
	["spec", "externalIPs"]: null,
	["spec", "healthCheckNodePort"]: null,
	["spec", "publishNotReadyAddresses"]: null,
	["spec", "ports"]: [
		{"name": "dns-udp", "port": 53, "protocol": "UDP", "targetPort": "dns-udp"},
		{"name": "dns-tcp", "port": 53, "protocol": "TCP", "targetPort": "dns-tcp"},
	],
}

own := {
	"headless": {
		["spec", "type"]: "ClusterIP",
		["spec", "clusterIP"]: "None",
		["spec", "clusterIPs"]: ["None"],
		["spec", "loadBalancerIP"]: null,
	},
	"dns": {
		["spec", "type"]: "ClusterIP",
		["spec", "loadBalancerIP"]: null,
	},
	"lb": {
		["spec", "type"]: "LoadBalancer",
		["spec", "clusterIP"]: null,
		["spec", "clusterIPs"]: null,
		["spec", "allocateLoadBalancerNodePorts"]: false,
		["spec", "externalTrafficPolicy"]: "Cluster",
		["spec", "loadBalancerClass"]: null,
		["spec", "loadBalancerSourceRanges"]: null,
	},
}

deny contains f if {
	some role, expected in own
	some o in build.in_role(role)
	some [path, want, have] in obj.differs(o, object.union(common, expected))
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(path), finding.must(want, have))
}

deny contains f if {
	some role, field in {"dns": "clusterIP", "lb": "loadBalancerIP"}
	some o in build.in_role(role)
	not ipv4(obj.get(o, ["spec", field]))
	f := finding.of(rego.metadata.chain(), obj.id(o), concat(".", ["spec", field]), "must be an explicit IPv4 address")
}

deny contains f if {
	some o in build.in_role("dns")
	obj.get(o, ["spec", "clusterIPs"]) != [obj.get(o, ["spec", "clusterIP"])]
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.clusterIPs", "must be a list of spec.clusterIP alone")
}

ipv4(address) if {
	regex.match(`^[0-9]{1,3}(\.[0-9]{1,3}){3}$`, address)
	net.cidr_is_valid(sprintf("%s/32", [address]))
}
