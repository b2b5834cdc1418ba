package tsunaro.finding_test

import data.tsunaro.finding

chain := [{"path": ["x"]}, {"annotations": {"custom": {"id": "a/b", "severity": "error", "requirements": ["RN-02"], "remedy": "do"}}, "path": ["y"]}]

# What people put keys into by mistake is not repeated; what must be there is.
test_discreet[why] if {
	some why, case in {
		"a field": ["spec.replicas", finding.must(1, 2), "must be 1, is 2"],
		"a variable": ["spec.containers[x].env[TS_AUTHKEY].value", finding.must(null, "secret"), "must not be set, is something else"],
		"a missing one": ["spec.containers[x].env[A]", finding.must("1", null), "must be \"1\", is missing"],
		"arguments": ["spec.containers[x].args", finding.must(["a"], ["secret"]), "must be [\"a\"], is something else"],
		"data": ["data.x", finding.stay("secret", "other"), "must stay as it was"],
		"data that is gone": ["data[x.y]", finding.stay("secret", null), "must stay as it was"],
		"long text": ["spec.x", finding.must("a", sprintf("%0200d", [1])), "must be \"a\", is something else"],
		"environment as a word": ["metadata.labels.env", finding.must("a", "b"), "must be \"a\", is something else"],
	}
	f := finding.of(chain, "Kind/name", case[0], case[1])
	f.text == case[2]
	f.msg == sprintf("Kind/name: %s: %s; do [a/b]", [case[0], case[2]])
}

test_value if {
	finding.value("spec.x", 1) == 1
	finding.value("data.x", "secret") == "something else"
	finding.value("data.x", null) == null
}
