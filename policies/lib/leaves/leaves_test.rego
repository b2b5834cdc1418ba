package tsunaro.leaves_test

import data.tsunaro.leaves

test_differences[why] if {
	some why, case in {
		"a value": [{"a": 1}, {"a": 2}, {["a", 1, 2]}],
		"gone": [{"a": {"b": 1}}, {}, {["a.b", 1, null]}],
		"added": [{}, {"a/b": "x"}, {["[a/b]", null, "x"]}],
		"an empty list is a value": [{"a": []}, {"a": {}}, {["a", [], {}]}],
		"by name": [{"l": [{"name": "x", "v": 1}]}, {"l": [{"name": "x", "v": 2}]}, {["l[x].v", 1, 2]}],
		"by place": [{"l": [1, 2]}, {"l": [1, 3]}, {["l[1]", 2, 3]}],
		"moved": [{"l": [{"name": "x"}, {"name": "y"}]}, {"l": [{"name": "y"}, {"name": "x"}]}, {["l[]", ["x", "y"], ["y", "x"]]}],
		"the same": [{"a": [{"b": null}]}, {"a": [{"b": null}]}, set()],
	}
	{[d.path, d.want, d.have] | some d in leaves.differences(case[0], case[1])} == case[2]
}

test_covers[why] if {
	some why, case in {
		"the field": [["status"], ["status"], true],
		"a part of it": [["status"], ["status", "replicas"], true],
		"an element of it": [["status"], ["status", "[0]"], true],
		"any element": [["spec", "containers", "*", "image"], ["spec", "containers", "[x]", "image"], true],
		"the element of that name": [["env", "A", "value"], ["env", "[A]", "value"], true],
		"another element": [["env", "A", "value"], ["env", "[B]", "value"], false],
		"what it is a part of": [["spec", "containers"], ["spec"], false],
		"another field": [["status"], ["statusx"], false],
		"another field of the element": [["containers", "*", "image"], ["containers", "[x]", "ports"], false],
	}
	covered := [case | leaves.covers([case[0]], case[1])]
	count(covered) == 1 == case[2]
}

# A binder may put a UID for the placeholder, and nothing else for anything.
test_bound[why] if {
	some why, case in {
		"bound": ["${lab_gw_state_uid:=<unbound>}", "7a0d9a2e-1b2c-4d3e-8f90-112233445566", true],
		"not a UID": ["${lab_gw_state_uid:=<unbound>}", "mine", false],
		"not a placeholder": ["mine", "7a0d9a2e-1b2c-4d3e-8f90-112233445566", false],
		"gone": ["${lab_gw_state_uid:=<unbound>}", null, false],
	}
	d := {"want": case[0], "have": case[1]}
	bound := [d | leaves.bound(d)]
	count(bound) == 1 == case[2]
}
