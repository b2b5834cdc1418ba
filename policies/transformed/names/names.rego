# METADATA
# title: Names follow the gateway
# description: |
#   Every name is made from the gateway's: namePrefix and nameSuffix reach the objects
#   and not all names inside them.
# custom:
#   id: transformed/names
#   requirements: [RN-08]
#   severity: error
#   remedy: rename the TailnetGateway itself, in metadata.name, and leave namePrefix and nameSuffix out
package tsunaro.transformed.names

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

wanted(gateway) := {
	"StatefulSet": gateway,
	"ServiceAccount": gateway,
	"Role": gateway,
	"RoleBinding": gateway,
	"PodDisruptionBudget": gateway,
	"ConfigMap": sprintf("%s-coredns", [gateway]),
}

deny contains f if {
	some p in build.parts
	want := wanted(p.gateway)[p.role]
	have := obj.get(p.object, ["metadata", "name"])
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "metadata.name", finding.must(want, have))
}

deny contains f if {
	some p in build.parts
	p.role in {"headless", "dns", "lb"}
	want := service(p.gateway, p.object)
	have := obj.get(p.object, ["metadata", "name"])
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "metadata.name", finding.must(want, have))
}

# What a Service is for shows in its spec, whatever it is called.
service(gateway, o) := sprintf("%s-lb", [gateway]) if {
	o.spec.type == "LoadBalancer"
} else := gateway if {
	o.spec.clusterIP == "None"
} else := build.crs[gateway].spec.dns.serviceName
