package tsunaro.build_test

import data.tsunaro.build
import data.tsunaro.fixture

one := {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "one"}}

two := {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "two"}}

# Whichever tool hands the objects over, they are the same.
test_forms[why] if {
	some why, case in {
		"a list": {"input": [one, two], "new": [one, two], "old": []},
		"one object": {"input": one, "new": [one], "old": []},
		"a List": {"input": {"apiVersion": "v1", "kind": "List", "items": [one, two]}, "new": [one, two], "old": []},
		"a List in a list": {"input": [one, {"apiVersion": "v1", "kind": "List", "items": [two]}], "new": [one, two], "old": []},
		"old and new": {"input": {"old": [one], "new": [two]}, "new": [two], "old": [one]},
		"new alone": {"input": {"new": [two]}, "new": [two], "old": []},
		"nothing": {"input": [], "new": [], "old": []},
		"an empty new build": {"input": {"old": [one], "new": []}, "new": [], "old": [one]},
		"conftest, one file": {"input": [{"path": "build.yaml", "contents": one}, {"path": "build.yaml", "contents": two}], "new": [one, two], "old": []},
		"conftest, an empty file": {"input": [{"path": "build.yaml", "contents": null}], "new": [], "old": []},
		"conftest, old.yaml": {"input": [{"path": "new.yaml", "contents": two}, {"path": "old.yaml", "contents": one}], "new": [two], "old": [one]},
		"conftest, a directory old": {"input": [{"path": "a/old/b.yaml", "contents": one}, {"path": "a/threshold.yaml", "contents": two}], "new": [two], "old": [one]},
	}
	build.objects == case.new with input as case.input
	build.was == case.old with input as case.input
}

# A variable that is there twice has no value.
test_env if {
	c := {"env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}, {"name": "A", "value": "3"}]}
	build.value(c, "A") == null
	build.value(c, "B") == "2"
	build.value({}, "B") == null
}

# Of two CRs of one name there is one to look at, not an error.
test_crs if {
	second := object.union(fixture.parts.gateway, {"spec": {"suspend": true}})
	count(build.crs) == 1 with input as array.concat(fixture.build, [second])
}
