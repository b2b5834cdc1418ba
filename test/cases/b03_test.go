package cases

import (
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// B03: a label meant for all objects gets into selectors, which are immutable, or
// into the Pod template, which the completion receipt binds.

// The variants are told apart by what check-render names.
//
// REQ: RN-04
func TestB03(t *testing.T) {
	selectors := []string{
		"changed Service/tsunaro-system/gw1 spec.selector.team",
		"changed Service/tsunaro-system/gw1-dns spec.selector.team",
		"changed Service/tsunaro-system/gw1-lb spec.selector.team",
		"changed PodDisruptionBudget/tsunaro-system/gw1 spec.selector.matchLabels.team",
		"changed StatefulSet/tsunaro-system/gw1 spec.selector.matchLabels.team",
		"changed StatefulSet/tsunaro-system/gw1 spec.template.metadata.labels.team",
	}
	all := func(path string) (lines []string) {
		for _, o := range []string{
			"ServiceAccount/tsunaro-system/gw1", "Role/tsunaro-system/gw1", "RoleBinding/tsunaro-system/gw1", coreDNS,
			"Service/tsunaro-system/gw1", "Service/tsunaro-system/gw1-dns", lb, "PodDisruptionBudget/tsunaro-system/gw1", statefulSet,
		} {
			lines = append(lines, "changed "+o+" "+path)
		}
		return lines
	}
	for _, c := range []struct {
		why, fields string
		want        []string
	}{
		{"1: in selectors and template", "commonLabels: {team: net}", selectors},
		{"1, in today's words", "labels: [{pairs: {team: net}, includeSelectors: true}]", selectors},
		{"2: on the objects only", "labels: [{pairs: {team: net}, includeSelectors: false, includeTemplates: false}]", nil},
		{"2, by default", "labels: [{pairs: {team: net}}]", nil},
		{"2, a well-known key", "labels: [{pairs: {app.kubernetes.io/part-of: net}}]", nil},
		{"3: in the template", "labels: [{pairs: {team: net}, includeSelectors: false, includeTemplates: true}]",
			[]string{"changed StatefulSet/tsunaro-system/gw1 spec.template.metadata.labels.team"}},
		{"in one selector", "labels: [{pairs: {team: net}, fields: [{kind: PodDisruptionBudget, path: spec/selector/matchLabels, create: true}]}]",
			[]string{"changed PodDisruptionBudget/tsunaro-system/gw1 spec.selector.matchLabels.team"}},
		{"our own key", "labels: [{pairs: {tsunaro.io/gateway: gw9}}]", all("metadata.labels[tsunaro.io/gateway]")},
		{"a UID that is not one", "labels: [{pairs: {tsunaro.io/state-uid: mine}}]", all("metadata.labels[tsunaro.io/state-uid]")},
		{"an engine's key", "labels: [{pairs: {kustomize.toolkit.fluxcd.io/name: mine}}]", all("metadata.labels[kustomize.toolkit.fluxcd.io/name]")},
	} {
		t.Run(c.why, func(t *testing.T) {
			generated := generator()
			generated["kustomization.yaml"] += c.fields + "\n"
			dir := generated.Write(t)
			kustomize.Same(t, failures(t, dir, dir), c.want)

			outer := transformer().With(kustomize.Layer{"render.yaml": kustomize.Base()["render.yaml"] + "spec: {emit: Resources}\n"}).Under("inner")
			outer["kustomization.yaml"] = "resources: [inner]\n" + c.fields + "\n"
			dir = outer.Write(t)
			kustomize.Same(t, failures(t, dir, dir+"/inner"), c.want)
		})
	}
}

// failures builds dir and checks it against input.
func failures(t *testing.T, dir, input string) []string {
	t.Helper()
	check := kustomize.Check(t, kustomize.Build(t, dir).Must(t).Stdout, input)
	found := check.Failures(t, dir)
	if (check.Code == 0) != (len(found) == 0) {
		t.Errorf("exit code %d with %d failures", check.Code, len(found))
	}
	return found
}
