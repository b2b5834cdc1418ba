package tsunaro.rendered.retention_test

import data.tsunaro.fixture
import data.tsunaro.rendered.retention as rule

# REQ: RN-09, B15
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "rendered/retention"
	f.object != ""
}

denied := {
	"prune": [{"op": "remove", "path": "role/metadata/annotations/kustomize.toolkit.fluxcd.io~1prune"}],
	"force": [{"op": "add", "path": "workload/metadata/annotations/kustomize.toolkit.fluxcd.io~1force", "value": "enabled"}],
	"extraneous": [{"op": "remove", "path": "lb/metadata/annotations/argocd.argoproj.io~1compare-options"}],
	"no options": [{"op": "remove", "path": "dns/metadata/annotations/argocd.argoproj.io~1sync-options"}],
	"Delete": [{"op": "add", "path": "dns/metadata/annotations/argocd.argoproj.io~1sync-options", "value": "Prune=false"}],
	"Replace": [{"op": "add", "path": "dns/metadata/annotations/argocd.argoproj.io~1sync-options", "value": "Prune=false,Delete=false,Replace=true"}],
	"ssa": [{"op": "remove", "path": "config/metadata/annotations/kustomize.toolkit.fluxcd.io~1ssa"}],
	"health": [{"op": "remove", "path": "lb/metadata/annotations/argocd.argoproj.io~1ignore-healthcheck"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"more options": [{"op": "add", "path": "dns/metadata/annotations/argocd.argoproj.io~1sync-options", "value": "Prune=false, Delete=false, ServerSideApply=true"}],
}
