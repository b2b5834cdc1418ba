# METADATA
# title: One Pod, replaced by hand
# description: |
#   The StatefulSet runs one Pod and is never rolled out by itself; the budget
#   protects that one Pod.
# custom:
#   id: rendered/workload
#   requirements: [RN-03]
#   severity: error
#   remedy: leave the fields as rendered; a second gateway is a second TailnetGateway
package tsunaro.rendered.workload

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

statefulset := {
	["spec", "replicas"]: 1,
	["spec", "updateStrategy"]: {"type": "OnDelete"},
	["spec", "podManagementPolicy"]: "OrderedReady",
	["spec", "persistentVolumeClaimRetentionPolicy"]: {"whenDeleted": "Retain", "whenScaled": "Retain"},
	["spec", "volumeClaimTemplates"]: null,
	["spec", "minReadySeconds"]: null,
	["spec", "ordinals"]: null,
	["spec", "template", "spec", "restartPolicy"]: "Always",
}

budget := {
	["spec", "minAvailable"]: 1,
	["spec", "maxUnavailable"]: null,
	["spec", "unhealthyPodEvictionPolicy"]: null,
}

deny contains f if {
	some [role, expected] in [["StatefulSet", statefulset], ["PodDisruptionBudget", budget]]
	some o in build.in_role(role)
	some [path, want, have] in obj.differs(o, expected)
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(path), finding.must(want, have))
}
