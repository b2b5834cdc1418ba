# METADATA
# title: Objects
# description: What every rule asks of a Kubernetes object. A field that is not there is null, so that a comparison with it fails instead of being undefined.
package tsunaro.object

# METADATA
# description: get is the value at a path of keys, or null; nothing has no fields.
get(o, path) := object.get(o, path, null) if is_object(o)

else := null

# METADATA
# description: id names an object as Kind/name or Kind/namespace/name.
id(o) := concat("/", [sprintf("%v", [s]) |
	some s in [get(o, ["kind"]), get(o, ["metadata", "namespace"]), get(o, ["metadata", "name"])]
	s != null
])

label(o, key) := get(o, ["metadata", "labels", key])

annotation(o, key) := get(o, ["metadata", "annotations", key])

# METADATA
# description: keys are the keys of an object at a path; none if there is no object.
keys(o, path) := object.keys(v) if {
	v := get(o, path)
	is_object(v)
} else := set()

# METADATA
# description: items are the elements of a list at a path; none if there is no list.
items(o, path) := v if {
	v := get(o, path)
	is_array(v)
} else := []

# METADATA
# description: |
#   differs holds every place where an object is not as expected, which is an
#   object of values by path; null says that the field must not be there.
differs(o, expected) := {[path, want, have] |
	some path, want in expected
	have := get(o, path)
	have != want
}

# METADATA
# description: text writes a path of keys as metadata.labels[a.b/c] or spec.ports[0].name.
text(path) := trim_prefix(concat("", [step(s) | some s in path]), ".")

# An element of a list is written as it is: [0], or [name].
step(s) := sprintf("[%d]", [s]) if is_number(s)

step(s) := s if startswith(s, "[")

step(s) := sprintf("[%s]", [s]) if regex.match(`^[^\[].*[./\[]|^[./]`, s)

step(s) := sprintf(".%s", [s]) if regex.match(`^[^./\[]*$`, s)
