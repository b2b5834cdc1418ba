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

test_covers[path] if {
	some path, patterns in {
		"status": ["status"],
		"status.replicas": ["spec", "status"],
		"status[0]": ["status"],
		"spec.containers[x].image": ["spec.containers[*].image"],
		"spec.containers[x].env[Y].value": ["spec.containers[x].env[Y].value"],
	}
	leaves.covers(patterns, path)
}

test_covers_not[path] if {
	some path, patterns in {
		"statusx": ["status"],
		"spec": ["spec.containers"],
		"spec.containers[x].images": ["spec.containers[*].image"],
		"data[a.b]": ["data[*]"],
	}
	not leaves.covers(patterns, path)
}
