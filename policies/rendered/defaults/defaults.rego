# METADATA
# title: Every default is spelled out
# description: |
#   What is left out a server fills in, and whoever compares sees a difference that
#   nobody made.
# custom:
#   id: rendered/defaults
#   requirements: [RN-06]
#   severity: error
#   remedy: leave the fields as rendered
package tsunaro.rendered.defaults

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

template := {
	["spec", "revisionHistoryLimit"]: 10,
	["spec", "template", "spec", "terminationGracePeriodSeconds"]: 30,
	["spec", "template", "spec", "dnsPolicy"]: "ClusterFirst",
	["spec", "template", "spec", "schedulerName"]: "default-scheduler",
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some [path, want, have] in obj.differs(o, template)
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(path), finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name, policy in {"kernel-preflight": "FallbackToLogsOnError", "tailscale": "File", "coredns": "File"}
	some [path, want, have] in obj.differs(build.container(o, name), {
		["terminationMessagePath"]: "/dev/termination-log",
		["terminationMessagePolicy"]: policy,
		["imagePullPolicy"]: "IfNotPresent",
	})
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[%s].%s", [name, obj.text(path)]), finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name in ["kernel-preflight", "tailscale", "coredns"]
	not is_object(obj.get(build.container(o, name), ["resources"]))
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[%s].resources", [name]), "must be an object, also if it holds nothing")
}

modes := {["configMap", "defaultMode"], ["projected", "defaultMode"]}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some v in obj.items(o, ["spec", "template", "spec", "volumes"])
	some path in modes
	obj.get(v, [path[0]]) != null
	have := obj.get(v, path)
	have != 420
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.volumes[%v].%s", [obj.get(v, ["name"]), obj.text(path)]), finding.must(420, have))
}

# A state that may grow without bound would fill the node.
sizes := {"state": "64Mi", "run": "16Mi", "tmp": "64Mi"}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some v in obj.items(o, ["spec", "template", "spec", "volumes"])
	want := sizes[obj.get(v, ["name"])]
	have := obj.get(v, ["emptyDir"])
	have != {"sizeLimit": want}
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.volumes[%s].emptyDir", [v.name]), finding.must({"sizeLimit": want}, have))
}
