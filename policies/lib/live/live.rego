# METADATA
# title: Live objects
# description: The input {desired, live}, both in any form that a build may have.
package tsunaro.live

import data.tsunaro.build
import data.tsunaro.object as obj

desired := build.expand(build.list(input.desired))

# METADATA
# description: counterpart is the live object of the same kind, namespace and name.
counterpart(want) := [have |
	some have in build.expand(build.list(input.live))
	obj.id(have) == obj.id(want)
	obj.get(have, ["apiVersion"]) == obj.get(want, ["apiVersion"])
][0]

# METADATA
# description: server are the fields that a server writes into an object of that role.
server(role) := array.concat([["status"]], object.get(data.tsunaro.tables.mask.Allocated, role, []))
