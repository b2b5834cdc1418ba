# METADATA
# title: What the nine say of each other is true
# description: |
#   The names inside the objects are those of the objects: a renamed one leaves the
#   Pod without its configuration, its account or its key.
# custom:
#   id: transformed/references
#   requirements: [RN-02, PD-05, PD-07]
#   severity: error
#   remedy: leave names and references as rendered
package tsunaro.transformed.references

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some p in build.parts
	p.role == "StatefulSet"
	some path, want in {
		["spec", "serviceName"]: one(p.gateway, "headless"),
		["spec", "template", "spec", "serviceAccountName"]: one(p.gateway, "ServiceAccount"),
		["spec", "template", "spec", "serviceAccount"]: one(p.gateway, "ServiceAccount"),
	}
	have := obj.get(p.object, path)
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(path), finding.must(want, have))
}

# The name of an object that is in the build, or what no reference equals.
one(gateway, role) := build.first([obj.get(o, ["metadata", "name"]) | some o in build.of(gateway, role)], sprintf("the %s of %s", [role, gateway]))

config(o) := build.first([v | some v in obj.items(o, ["spec", "template", "spec", "volumes"]); obj.get(v, ["name"]) == "config"], {})

deny contains f if {
	some p in build.parts
	p.role == "StatefulSet"
	want := one(p.gateway, "ConfigMap")
	have := obj.get(config(p.object), ["configMap", "name"])
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "spec.template.spec.volumes[config].configMap.name", finding.must(want, have))
}

# Every key of the ConfigMap is projected under its own name.
deny contains f if {
	some p in build.parts
	p.role == "StatefulSet"
	some map in build.of(p.gateway, "ConfigMap")
	projected := [[i.key, i.path] | some i in obj.items(config(p.object), ["configMap", "items"])]
	{item | some item in projected} != {[k, k] | some k in obj.keys(map, ["data"])}
	f := finding.of(rego.metadata.chain(), obj.id(p.object), "spec.template.spec.volumes[config].configMap.items", sprintf("must be the keys of %s", [obj.id(map)]))
}

secret_names(gateway) := {
	"TS_KUBE_SECRET": [["value"], sprintf("%s-state", [gateway])],
	"TS_AUTHKEY": [["valueFrom", "secretKeyRef", "name"], sprintf("%s-auth", [gateway])],
}

deny contains f if {
	some p in build.parts
	p.role == "StatefulSet"
	some name, [path, want] in secret_names(p.gateway)
	have := obj.get(build.env(build.container(p.object, "tailscale")), array.concat([name], path))
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(p.object), sprintf("spec.template.spec.containers[tailscale].env[%s]", [name]), finding.must(want, have))
}
