# METADATA
# title: Exactly nine objects
# description: |
#   An active gateway is exactly nine objects, a suspended one none. A build that
#   holds no gateway at all is refused: an engine that prunes would take it for an
#   order to delete, and kustomize drops a function without a word.
# custom:
#   id: rendered/nine
#   requirements: [RN-02, RN-13]
#   severity: error
#   remedy: build again with --enable-alpha-plugins --enable-exec, and let no other transformer remove, rename or add one
package tsunaro.rendered.nine

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

api_versions := {
	"ServiceAccount": "v1",
	"Role": "rbac.authorization.k8s.io/v1",
	"RoleBinding": "rbac.authorization.k8s.io/v1",
	"ConfigMap": "v1",
	"Service": "v1",
	"PodDisruptionBudget": "policy/v1",
	"StatefulSet": "apps/v1",
}

# The ninth is the DNS Service, whose name is free.
named(gateway) := {
	["ServiceAccount", gateway],
	["Role", gateway],
	["RoleBinding", gateway],
	["ConfigMap", sprintf("%s-coredns", [gateway])],
	["Service", gateway],
	["Service", sprintf("%s-lb", [gateway])],
	["PodDisruptionBudget", gateway],
	["StatefulSet", gateway],
}

deny contains f if {
	count(build.gateways) == 0
	count(build.crs) == 0
	f := finding.of(rego.metadata.chain(), "build", "", "holds no gateway: the function did not run, or the wrong directory was built")
}

deny contains f if {
	some gateway in build.active
	not there(gateway)
	f := finding.of(rego.metadata.chain(), cr(gateway), "", "must have nine objects, has none: the function did not run")
}

deny contains f if {
	some gateway in wanted
	some [kind, name] in named(gateway)
	not [kind, name] in {[p.object.kind, p.object.metadata.name] | some p in build.parts; p.gateway == gateway; right_version(p.object)}
	f := finding.of(rego.metadata.chain(), cr(gateway), "", sprintf("must have a %s %s in %s, has none", [kind, name, api_versions[kind]]))
}

deny contains f if {
	some gateway in wanted
	n := count([o | some o in build.of(gateway, "dns"); right_version(o)])
	n != 1
	f := finding.of(rego.metadata.chain(), cr(gateway), "", sprintf("must have 1 Service besides %s and %s-lb, has %d", [gateway, gateway, n]))
}

deny contains f if {
	some p in build.parts
	p.object.kind in object.keys(api_versions)
	not p.role in {"dns", "headless", "lb"}
	not [p.object.kind, p.object.metadata.name] in named(p.gateway)
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "metadata.name", sprintf("is not one of the nine of %s", [p.gateway]))
}

deny contains f if {
	some p in build.parts
	p.gateway in suspended
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "", sprintf("must not be in the build: the gateway %s is suspended", [p.gateway]))
}

deny contains f if {
	some id in identities
	count([i | some i in identities; i == id]) > 1
	f := finding.of(rego.metadata.chain(), id[1], "", "must be in the build once, is there twice")
}

# wanted are the gateways of which something is there, so that what is not can
# be named.
wanted contains gateway if {
	some gateway in build.gateways
	there(gateway)
	not gateway in suspended
}

there(gateway) if {
	some p in build.parts
	p.gateway == gateway
}

suspended := object.keys(build.crs) - build.active

right_version(o) if o.apiVersion == api_versions[o.kind]

identities := [identity(o) | some o in build.objects]

# Two API versions of one group are the same object.
identity(o) := [array.slice(reversed, 1, count(reversed)), obj.id(o)] if {
	reversed := array.reverse(split(o.apiVersion, "/"))
}

cr(gateway) := sprintf("TailnetGateway/%s", [gateway])
