# METADATA
# title: Field classes
# description: |
#   Which fields of a CR may change, from the table that the renderer's own code
#   goes by (data.json). A field that is left out has its default.
package tsunaro.fields

import data.tsunaro.object as obj

# METADATA
# description: changed are the fields of a CR, other than the mutable ones, that the other one has otherwise.
changed(kind, old, new) := {d |
	some field in data.tsunaro.tables.fields[kind]
	field.class != "Mutable"
	want := value(old, field)
	have := value(new, field)
	want != have
	d := {"path": field.path, "class": field.class, "want": want, "have": have}
}

# METADATA
# description: value is what a field means; of a field of a list's elements, one value for each of them.
value(cr, field) := filled(obj.get(cr, split(field.path, ".")), default_of(cr, field)) if not contains(field.path, "[]")

value(cr, field) := filled([obj.get(e, split(inner, ".")) | some e in obj.items(cr, split(list, "."))], null) if {
	[list, inner] := split(field.path, "[].")
}

filled(v, otherwise) := otherwise if v in {null, {}}

else := otherwise if v == []

else := v

# Two defaults follow from the object's own name.
default_of(cr, field) := cr.metadata.name if field.path == "spec.hostname"

else := sprintf("%s-state", [cr.metadata.name]) if field.path == "spec.stateSecretRef.name"

else := object.get(field, "default", null)
