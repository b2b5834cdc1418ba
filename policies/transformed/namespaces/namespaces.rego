# METADATA
# title: All nine in one namespace
# description: |
#   The parts of a gateway find each other by name inside one namespace, and the
#   binding names the account in it.
# custom:
#   id: transformed/namespaces
#   requirements: [RN-12, CF-01]
#   severity: error
#   remedy: "leave namespace out of the kustomization: the Tailnet's spec.operatorNamespace says where the nine go"
package tsunaro.transformed.namespaces

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some gateway in build.gateways
	all := {obj.get(p.object, ["metadata", "namespace"]) | some p in build.parts; p.gateway == gateway}
	count(all) > 1
	f := finding.of(rego.metadata.chain(), sprintf("TailnetGateway/%s", [gateway]), "metadata.namespace", sprintf("must be the same for all nine, is %s", [finding.show(sort(all))]))
}

deny contains f if {
	some o in build.in_role("RoleBinding")
	some i, subject in obj.items(o, ["subjects"])
	want := obj.get(o, ["metadata", "namespace"])
	have := obj.get(subject, ["namespace"])
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(["subjects", i, "namespace"]), finding.must(want, have))
}
