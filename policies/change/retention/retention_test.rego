package tsunaro.change.retention_test

import data.tsunaro.change.retention as rule
import data.tsunaro.fixture

# REQ: RN-09, UP-08
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as {"old": fixture.build, "new": fixture.changed(ops)}
	f.id == "change/retention"
	f.object != ""
}

denied := {
	"prune": [{"op": "remove", "path": "role/metadata/annotations/kustomize.toolkit.fluxcd.io~1prune"}],
	"no annotations": [{"op": "remove", "path": "dns/metadata/annotations"}],
	"Delete": [{"op": "add", "path": "dns/metadata/annotations/argocd.argoproj.io~1sync-options", "value": "Prune=false"}],
	"ssa": [{"op": "add", "path": "config/metadata/annotations/kustomize.toolkit.fluxcd.io~1ssa", "value": "Merge"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.build}
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as {"old": fixture.build, "new": fixture.changed(ops)}
}

accepted := {
	"more options": [{"op": "add", "path": "dns/metadata/annotations/argocd.argoproj.io~1sync-options", "value": "ServerSideApply=true, Prune=false, Delete=false"}],
	"gone": [{"op": "remove", "path": "role"}],
}
