# METADATA
# title: The Pod is as the TailnetGateway says
# description: |
#   Sysctls, tolerations, node selector and resources come from spec.pod, where the
#   build holds the CR, and from nowhere else.
# custom:
#   id: rendered/pod
#   requirements: [PD-08]
#   severity: error
#   remedy: set spec.pod of the TailnetGateway
package tsunaro.rendered.pod

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some gateway, cr in build.crs
	some o in build.of(gateway, "StatefulSet")
	some path, from in {
		["securityContext", "sysctls"]: "sysctls",
		["tolerations"]: "tolerations",
		["nodeSelector"]: "nodeSelector",
	}
	want := filled(obj.get(cr, ["spec", "pod", from]))
	have := filled(obj.get(o, array.concat(["spec", "template", "spec"], path)))
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(array.concat(["spec", "template", "spec"], path)), sprintf("must be spec.pod.%s of the TailnetGateway", [from]))
}

deny contains f if {
	some gateway, cr in build.crs
	some o in build.of(gateway, "StatefulSet")
	some name in ["tailscale", "coredns"]
	some list in ["requests", "limits"]
	want := amounts(obj.get(cr, ["spec", "pod", "resources", name, list]))
	have := amounts(obj.get(build.container(o, name), ["resources", list]))
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[%s].resources.%s", [name, list]), sprintf("must be spec.pod.resources.%s.%s of the TailnetGateway", [name, list]))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	have := obj.get(build.container(o, "kernel-preflight"), ["resources"])
	have != {}
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.template.spec.initContainers[kernel-preflight].resources", finding.must({}, have))
}

# Nothing and an empty list are the same request.
filled(value) := null if count(value) == 0

else := value

# Quantities are compared as numbers: 0.5 is 500m.
amounts(list) := {name: units.parse(sprintf("%v", [quantity])) | some name, quantity in list}
