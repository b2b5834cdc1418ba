# METADATA
# title: No text that somebody would expand
# description: |
#   Flux substitutes ${...} in all that it applies, and the kubelet $(...) in arguments
#   and environment. Only the two placeholders and the Pod's address are there to be
#   replaced.
# custom:
#   id: rendered/expansion
#   requirements: [RN-05, DN-01]
#   severity: error
#   remedy: remove the text, or write it without $
package tsunaro.rendered.expansion

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some p in build.parts
	walk(p.object, [path, value])
	contains(value, "${")
	not placeholder(p.gateway, path, value)
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(path), "must not hold ${, which Flux would expand")
}

placeholder(gateway, path, value) if {
	path[count(path) - 1] in {"tsunaro.io/gateway-uid", "tsunaro.io/state-uid"}
	startswith(value, sprintf("${%s_", [replace(gateway, "-", "_")]))
	endswith(value, "_uid:=<unbound>}")
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	walk(o, [path, value])
	contains(value, "$(")
	value != "$(POD_IP):8080"
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(path), "must not hold $(, which the kubelet would expand")
}
