# METADATA
# title: Leaves
# description: |
#   Two objects compared field by field, as data: each difference is a path, what
#   was wanted and what is there. An element of a list is called by its name where
#   it has one, and a list of named elements has their order as a leaf of its own,
#   so that a moved container is one difference and not a hundred.
package tsunaro.leaves

import data.tsunaro.build
import data.tsunaro.object as obj

# METADATA
# description: differences are the leaves of want that have lacks, and those that it has besides.
differences(want, have) := {d |
	w := of(want)
	h := of(have)
	some steps in {p | some [p, _] in ((w - h) | (h - w))}
	d := {"path": obj.text(steps), "steps": steps, "want": value(w, steps), "have": value(h, steps)}
}

# METADATA
# description: of are the leaves of an object, each with the steps to it; the step to an element of a list is in brackets.
of(o) := {[named(o, path), v] | walk(o, [path, v]); count(path) > 0; leaf(v)} | {[array.concat(named(o, path), ["[]"]), names] |
	walk(o, [path, v])
	is_array(v)
	names := [e.name | some e in v]
	count(names) == count(v)
	count(names) > 0
}

leaf(v) if {
	not is_object(v)
	not is_array(v)
}

leaf([])

leaf({})

# Of a name that is there twice no value can be told.
value(leaves, steps) := build.first([v | some [p, v] in leaves; p == steps], null)

named(o, path) := [step(o, array.slice(path, 0, i + 1), key) | some i, key in path]

step(o, path, key) := sprintf("[%v]", [object.get(o, array.concat(path, ["name"]), key)]) if is_number(key)

step(_, _, key) := key if is_string(key)

# METADATA
# description: |
#   covers tells whether a leaf is at one of the patterns or below it. A pattern
#   is a list of keys and names of elements; "*" is any one element.
covers(patterns, steps) if {
	some pattern in patterns
	count(steps) >= count(pattern)
	every i, key in pattern {
		key in {"*", trim(steps[i], "[]")}
	}
}

# METADATA
# description: bound tells whether a difference is no more than a placeholder that became a UID.
bound(d) if {
	regex.match(`^\$\{[a-z0-9_]+_uid:=<unbound>\}$`, d.want)
	regex.match(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`, d.have)
}

# METADATA
# description: |
#   mutable tells whether a difference is in what may differ between a gateway's
#   object and its rendering: metadata that is not this product's, and the fields
#   that the minter or a change of a mutable field of the CR writes.
mutable(_, d) if {
	startswith(d.path, "metadata.")
	not own_metadata(d.path)
}

mutable(role, d) if {
	some class in ["Live", "Mutable"]
	covers(object.get(data.tsunaro.tables.mask[class], role, []), d.steps)
}

own_metadata(path) if {
	some prefix in ["metadata.labels[tsunaro.io/", "metadata.annotations[tsunaro.io/"]
	startswith(path, prefix)
}
