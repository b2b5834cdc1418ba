# METADATA
# title: The hosts source keeps its name
# description: |
#   The minter looks for the hosts source under the name that the Tailnet gives, in the
#   operator namespace. A name with a hash, a prefix or a suffix is never found.
# custom:
#   id: transformed/hosts
#   requirements: [DN-13, DL-08]
#   severity: error
#   remedy: "set generatorOptions.disableNameSuffixHash: true, and leave namePrefix and nameSuffix out"
package tsunaro.transformed.hosts

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some name, tailnet in build.tailnets
	want := object.get(tailnet, ["spec", "dns", "hostsConfigMapRef", "name"], "tailnet-dns-hosts")
	some o in build.objects
	o.kind == "ConfigMap"
	obj.label(o, "tsunaro.io/tailnet") == name
	have := obj.get(o, ["metadata", "name"])
	have != want
	contains(have, want)
	f := finding.of(rego.metadata.chain(), obj.id(o), "metadata.name", finding.must(want, have))
}

deny contains f if {
	some name, tailnet in build.tailnets
	some o in build.objects
	o.kind == "ConfigMap"
	obj.label(o, "tsunaro.io/tailnet") == name
	want := object.get(tailnet, ["spec", "operatorNamespace"], "tsunaro-system")
	have := obj.get(o, ["metadata", "namespace"])
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), "metadata.namespace", finding.must(want, have))
}
