# METADATA
# title: Builds
# description: |
#   The objects under check, from whichever tool hands them over: a list of
#   objects, a Kubernetes List, conftest's combined list of {path, contents}, or
#   {old, new} with either of them. conftest takes a file named old.yaml, or one
#   in a directory named old, for the old build.
package tsunaro.build

import data.tsunaro.object as obj

# METADATA
# description: objects is the build under check, and was the one that it replaces.
objects := expand(sides.new)

was := expand(sides.old)

sides := {
	"new": [e.contents | some e in input; not from_old(e.path)],
	"old": [e.contents | some e in input; from_old(e.path)],
} if {
	combined
} else := {"new": list(input.new), "old": list(object.get(input, "old", []))} if {
	input.new
} else := {"new": list(input), "old": []}

# METADATA
# description: list is a list of documents as it is, and a single document as a list.
list(documents) := documents if is_array(documents)

else := [documents]

combined if {
	some e in input
	e.path
}

from_old(path) if regex.match(`(^|/)old(/|\.ya?ml$|\.json$)`, path)

expand(documents) := array.concat(
	[d | some d in documents; is_object(d); not is_list(d)],
	[d | some l in documents; is_list(l); some d in obj.items(l, ["items"])],
)

is_list(d) if {
	d.kind == "List"
	d.apiVersion == "v1"
}

# METADATA
# description: parts are the objects that carry a gateway's label, with the gateway and the part of it that they are.
parts := parts_of(objects)

parts_of(all) := {{"gateway": g, "role": role(o, g), "object": o} |
	some o in all
	not ours(o)
	g := obj.label(o, "tsunaro.io/gateway")
	g != null
}

ours(o) if startswith(obj.get(o, ["apiVersion"]), "tsunaro.io/")

role(o, g) := "headless" if {
	o.kind == "Service"
	o.metadata.name == g
} else := "lb" if {
	o.kind == "Service"
	o.metadata.name == sprintf("%s-lb", [g])
} else := "dns" if {
	o.kind == "Service"
} else := obj.get(o, ["kind"])

# METADATA
# description: crs are the TailnetGateways of the build by name, and tailnets its Tailnets.
crs := by_name(objects, "TailnetGateway")

tailnets := by_name(objects, "Tailnet")

by_name(all, kind) := {name: cr |
	some o in all
	o.kind == kind
	ours(o)
	name := o.metadata.name
	cr := [c | some c in all; c.kind == kind; ours(c); c.metadata.name == name][0]
}

# METADATA
# description: active are the gateways whose CR says that they are to run; a missing suspend means true.
active contains name if {
	some name, cr in crs
	obj.get(cr, ["spec", "suspend"]) == false
}

# METADATA
# description: gateways are those that should have nine objects, or have some.
gateways := active | {p.gateway | some p in parts}

# METADATA
# description: of are the objects of a gateway in a role; more than one is the rule rendered/nine's business.
of(gateway, role) := object.get(table, [gateway, role], set())

table[p.gateway][p.role] contains p.object if some p in parts

# METADATA
# description: in_role are all objects in a role.
in_role(role) := object.get(roles, role, set())

roles[p.role] contains p.object if some p in parts

# METADATA
# description: same are the objects of the build that have an object's kind, namespace and name.
same(o) := object.get(by_id, obj.id(o), set())

by_id[obj.id(o)] contains o if some o in objects

# METADATA
# description: tailnet is the Tailnet of a gateway, where the build holds both CRs.
tailnet(gateway) := tailnets[crs[gateway].spec.tailnetRef.name]

# METADATA
# description: containers are the names of a StatefulSet's containers, init containers first.
containers(workload) := [name |
	some list in ["initContainers", "containers", "ephemeralContainers"]
	some c in obj.items(workload, ["spec", "template", "spec", list])
	name := obj.get(c, ["name"])
]

# METADATA
# description: container is a StatefulSet's container of that name, or an empty object, in which every field is missing.
container(workload, name) := first(
	[c |
		some list in ["initContainers", "containers"]
		some c in obj.items(workload, ["spec", "template", "spec", list])
		obj.get(c, ["name"]) == name
	],
	{},
)

# METADATA
# description: first is the first element of a list, or otherwise.
first(list, otherwise) := list[0] if count(list) > 0

else := otherwise

# METADATA
# description: |
#   env are the variables of a container by name. One that is there twice is
#   left out: nobody can say which of the two counts.
env(c) := {name: e |
	some e in obj.items(c, ["env"])
	name := e.name
	count([n | some n in c.env; n.name == name]) == 1
}

# METADATA
# description: value is the plain value of a container's variable, or null.
value(c, name) := obj.get(env(c), [name, "value"])

# METADATA
# description: renamed are the gateways that are gone while another one took their address, with that one.
renamed[q.gateway] contains p.gateway if {
	some q in parts_of(was)
	not q.gateway in gateways
	not crs[q.gateway]
	q.role == "lb"
	some p in parts
	p.role == "lb"
	obj.get(p.object, ["spec", "loadBalancerIP"]) == obj.get(q.object, ["spec", "loadBalancerIP"])
}
