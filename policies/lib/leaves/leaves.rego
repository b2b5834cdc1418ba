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
	some path in {p | some [p, _] in ((w - h) | (h - w))}
	d := {"path": path, "want": value(w, path), "have": value(h, path)}
}

of(o) := {[path_text(o, path), v] | walk(o, [path, v]); leaf(v)} | {[sprintf("%s[]", [path_text(o, path)]), names] |
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
value(leaves, path) := build.first([v | some [p, v] in leaves; p == path], null)

path_text(o, path) := obj.text([step | some i, key in path; step := named(o, array.slice(path, 0, i + 1), key)])

named(o, path, key) := sprintf("[%v]", [object.get(o, array.concat(path, ["name"]), key)]) if is_number(key)

named(_, _, key) := key if is_string(key)

# METADATA
# description: |
#   covers tells whether a path is one of the patterns or lies below it. A
#   pattern's [*] is any one element of a list.
covers(patterns, path) if {
	some pattern in patterns
	some spelling in {path, regex.replace(path, `\[[^\]/.]*\]`, "[*]")}
	below(spelling, pattern)
}

below(path, pattern) if path == pattern

below(path, pattern) if {
	some step in [".", "["]
	startswith(path, concat("", [pattern, step]))
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

mutable(role, d) if covers(object.get(data.tsunaro.tables.mask.mutable, role, []), d.path)

own_metadata(path) if {
	some prefix in ["metadata.labels[tsunaro.io/", "metadata.annotations[tsunaro.io/"]
	startswith(path, prefix)
}
