# METADATA
# title: As an API server would write it
# description: |
#   Whatever an API server would change on reading, and whatever a merge by key would
#   melt together, shows as drift for ever: nulls, empty values, a status, ports
#   without protocol or with one name, and quantities that are not canonical.
# custom:
#   id: rendered/spelling
#   requirements: [RN-06]
#   severity: error
#   remedy: remove the field, or write it as rendered
package tsunaro.rendered.spelling

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

# These say something by being empty.
may_be_empty(path, {}) if path[count(path) - 1] == "resources"

may_be_empty(path, "") if path[count(path) - 2] == "apiGroups"

deny contains f if {
	some p in build.parts
	walk(p.object, [path, value])
	empty(value)
	not may_be_empty(path, value)
	not text(path)
	f := finding.of(rego.metadata.chain(), obj.id(p.object), obj.text(path), sprintf("must not be %s", [json.marshal(value)]))
}

empty(value) if value in {null, "", {}}

empty(value) if value == []

# Data, labels and annotations are the user's or our own text.
text(path) if path[0] == "data"

text(path) if {
	path[0] == "metadata"
	path[1] in {"labels", "annotations"}
	count(path) == 3
}

deny contains f if {
	some p in build.parts
	some key in ["status", "immutable"]
	obj.get(p.object, [key]) != null
	f := finding.of(rego.metadata.chain(), obj.id(p.object), key, "must not be set")
}

deny contains f if {
	some p in build.parts
	some key in ["uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "generateName", "deletionTimestamp"]
	obj.get(p.object, ["metadata", key]) != null
	f := finding.of(rego.metadata.chain(), obj.id(p.object), concat(".", ["metadata", key]), "must not be set: a server writes it")
}

port_lists contains [p.object, path, list] if {
	some p in build.parts
	walk(p.object, [path, list])
	path[count(path) - 1] == "ports"
	is_array(list)
}

deny contains f if {
	some [o, path, list] in port_lists
	some i, port in list
	not obj.get(port, ["protocol"]) in {"TCP", "UDP"}
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(array.concat(path, [i, "protocol"])), "must be TCP or UDP")
}

deny contains f if {
	some [o, path, list] in port_lists
	some i, port in list
	some j, other in list
	i < j
	obj.get(port, ["name"]) == obj.get(other, ["name"])
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(array.concat(path, [j, "name"])), "must be a name of its own")
}

# What is left after 1000m is 1, 1024Mi is 1Gi and 0.5 is 500m.
deny contains f if {
	some o in build.in_role("StatefulSet")
	walk(o, [path, quantity])
	array.slice(path, count(path) - 3, count(path) - 2) == ["resources"]
	not canonical(quantity)
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(path), "must be a canonical quantity, as text")
}

canonical(quantity) if {
	regex.match(`^([1-9][0-9]*)([numkMGTPE]|[KMGTPE]i)?$`, quantity)
	not regex.match(`^[0-9]*000([numkMGTP]|)$`, quantity)
	not binary_multiple(quantity)
}

canonical("0")

binary_multiple(quantity) if {
	regex.match(`^[0-9]+[KMGTP]i$`, quantity)
	to_number(substring(quantity, 0, count(quantity) - 2)) % 1024 == 0
}
