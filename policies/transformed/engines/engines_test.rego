package tsunaro.transformed.engines_test

import data.tsunaro.fixture
import data.tsunaro.transformed.engines as rule

# REQ: RN-09, B15
test_denies[why] if {
	some why, ops in denied
	some f in rule.deny with input as fixture.changed(ops)
	f.id == "transformed/engines"
	f.object != ""
}

denied := {
	"Flux' name": [{"op": "add", "path": "role/metadata/labels/kustomize.toolkit.fluxcd.io~1name", "value": "x"}],
	"Argo CD's tracking": [{"op": "add", "path": "dns/metadata/annotations/argocd.argoproj.io~1tracking-id", "value": "x"}],
	"Argo CD's label": [{"op": "add", "path": "lb/metadata/labels/app.kubernetes.io~1instance", "value": "x"}],
	"reconcile": [{"op": "add", "path": "role/metadata/annotations/kustomize.toolkit.fluxcd.io~1reconcile", "value": "disabled"}],
	"ssa elsewhere": [{"op": "add", "path": "role/metadata/annotations/kustomize.toolkit.fluxcd.io~1ssa", "value": "Merge"}],
}

test_accepts if {
	count(rule.deny) == 0 with input as fixture.build
}

test_accepts_changed[why] if {
	some why, ops in accepted
	count(rule.deny) == 0 with input as fixture.changed(ops)
}

accepted := {
	"a wave": [{"op": "add", "path": "role/metadata/annotations/argocd.argoproj.io~1sync-wave", "value": "1"}],
	"the user's own": [{"op": "add", "path": "role/metadata/labels/team", "value": "x"}],
}
