# METADATA
# title: No more privileges than the work needs
# description: |
#   Tailscale is root with NET_ADMIN alone, CoreDNS nobody with NET_BIND_SERVICE
#   alone, the preflight nobody with nothing; none may gain more, write its root file
#   system or leave the Pod's own namespaces. The contract asks for no host network,
#   no privileged container and no sysctl writer.
# custom:
#   id: rendered/privileges
#   requirements: [PD-01]
#   severity: error
#   remedy: leave the security contexts as rendered
package tsunaro.rendered.privileges

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

nobody := 65532

context(user, capabilities) := {
	"allowPrivilegeEscalation": false,
	"capabilities": capabilities,
	"readOnlyRootFilesystem": true,
	"runAsGroup": user,
	"runAsNonRoot": user != 0,
	"runAsUser": user,
}

contexts := {
	"kernel-preflight": context(nobody, {"drop": ["ALL"]}),
	"tailscale": context(0, {"add": ["NET_ADMIN"], "drop": ["ALL"]}),
	"coredns": context(nobody, {"add": ["NET_BIND_SERVICE"], "drop": ["ALL"]}),
}

pod := {
	["spec", "template", "spec", "hostNetwork"]: null,
	["spec", "template", "spec", "hostPID"]: null,
	["spec", "template", "spec", "hostIPC"]: null,
	["spec", "template", "spec", "hostUsers"]: null,
	["spec", "template", "spec", "hostAliases"]: null,
	["spec", "template", "spec", "shareProcessNamespace"]: null,
	["spec", "template", "spec", "runtimeClassName"]: null,
	["spec", "template", "spec", "priorityClassName"]: null,
	["spec", "template", "spec", "enableServiceLinks"]: false,
	["spec", "template", "spec", "securityContext", "seccompProfile"]: {"type": "RuntimeDefault"},
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	build.containers(o) != ["kernel-preflight", "tailscale", "coredns"]
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.template.spec", finding.must(["kernel-preflight", "tailscale", "coredns"], build.containers(o)))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name, want in contexts
	some key in (object.keys(want) | obj.keys(build.container(o, name), ["securityContext"]))
	have := obj.get(build.container(o, name), ["securityContext", key])
	have != obj.get(want, [key])
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[%s].securityContext.%s", [name, key]), finding.must(obj.get(want, [key]), have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some [path, want, have] in obj.differs(o, pod)
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(path), finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some key in (obj.keys(o, ["spec", "template", "spec", "securityContext"]) - {"seccompProfile", "sysctls"})
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(["spec", "template", "spec", "securityContext", key]), "must not be set")
}
