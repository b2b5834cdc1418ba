# METADATA
# title: The nine are what the CR says
# description: |
#   The minter renders again from the CR and compares: what an outer layer changed in
#   one and not in the other never becomes ready. Looked at where the build holds the
#   CR.
# custom:
#   id: transformed/spec
#   requirements: [UP-02, LC-16, RN-03]
#   severity: error
#   remedy: change the field in the TailnetGateway, in the function's own layer, and build again
package tsunaro.transformed.spec

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some gateway, cr in build.crs
	some role, fields in {
		"lb": {["spec", "loadBalancerIP"]: ["spec", "loadBalancerIP"]},
		"dns": {["spec", "clusterIP"]: ["spec", "dns", "clusterIP"]},
	}
	some o in build.of(gateway, role)
	some path, from in fields
	want := obj.get(cr, from)
	have := obj.get(o, path)
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(path), sprintf("must be %s, %s of the TailnetGateway", [finding.show(want), obj.text(from)]))
}

deny contains f if {
	some gateway, cr in build.crs
	some o in build.of(gateway, "StatefulSet")
	some name, want in obj.get(cr, ["spec", "images"])
	have := obj.get(build.container(o, name), ["image"])
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[%s].image", [name]), sprintf("must be spec.images.%s of the TailnetGateway", [name]))
}

deny contains f if {
	some gateway, cr in build.crs
	some o in build.of(gateway, "StatefulSet")
	want := object.get(cr, ["spec", "hostname"], gateway)
	have := build.value(build.container(o, "tailscale"), "TS_HOSTNAME")
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), variable("TS_HOSTNAME"), finding.must(want, have))
}

# Egress targets add routes, so the CR's own are a part of them.
deny contains f if {
	some gateway, cr in build.crs
	some o in build.of(gateway, "StatefulSet")
	have := {r | some r in split(build.value(build.container(o, "tailscale"), "TS_ROUTES"), ",")}
	some route in ({r | some r in array.concat(obj.items(cr, ["spec", "routes", "lan"]), [obj.get(cr, ["spec", "tailnetLBCIDR"])])} - have)
	f := finding.of(rego.metadata.chain(), obj.id(o), variable("TS_ROUTES"), sprintf("must hold %v", [route]))
}

variable(name) := sprintf("spec.template.spec.containers[tailscale].env[%s]", [name])

deny contains f if {
	some gateway, cr in build.crs
	some o in build.of(gateway, "lb")
	some key, want in obj.get(cr, ["spec", "poolLabels"])
	have := obj.label(o, key)
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(["metadata", "labels", key]), finding.must(want, have))
}

deny contains f if {
	some gateway, cr in build.crs
	some o in build.of(gateway, "lb")
	keys := object.keys(object.get(cr, ["spec", "poolLabels"], {}))
	want := concat(",", sort(keys))
	have := object.get(o, ["metadata", "annotations", "tsunaro.io/pool-label-keys"], "")
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), "metadata.annotations[tsunaro.io/pool-label-keys]", finding.must(want, have))
}

# The authority is the Tailnet's.
deny contains f if {
	some gateway in object.keys(build.crs)
	tailnet := build.tailnet(gateway)
	some o in build.of(gateway, "StatefulSet")
	want := authority(obj.get(tailnet, ["spec", "caBundleConfigMapRef"]))
	have := [v.configMap | some v in obj.items(o, ["spec", "template", "spec", "volumes"]); v.name == "ca-bundle"]
	[[m.name, m.items[0].key] | some m in have] != want
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.template.spec.volumes[ca-bundle]", "must be spec.caBundleConfigMapRef of the Tailnet")
}

authority(ref) := [[ref.name, object.get(ref, "key", "ca.crt")]] if is_object(ref)

else := []
