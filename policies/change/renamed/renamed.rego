# METADATA
# title: A gateway keeps its name
# description: |
#   A gateway under a new name is a new gateway: another node, another key, and all
#   objects of the old one stay behind with the address that the new one wants.
# custom:
#   id: change/renamed
#   requirements: [UP-08, LC-15]
#   severity: error
#   remedy: keep metadata.name; the node's name alone is spec.hostname, which is an identity as well
package tsunaro.change.renamed

import data.tsunaro.build
import data.tsunaro.finding

deny contains f if {
	some old, new in build.renamed
	f := finding.of(rego.metadata.chain(), sprintf("TailnetGateway/%s", [old]), "metadata.name", sprintf("must stay, is now %s", [concat(" or ", new)]))
}
