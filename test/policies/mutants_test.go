package policies

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/policies"
)

// The gateway of the golden input full, which has every field set.
const gw = "a23456789-b23456789-c23456789-d234567890"

// hand are mutants that no change of one field gives.
var hand = []struct {
	name string
	do   func(t testing.TB, b build) build
}{
	{"an owner", onEach(func(o map[string]any) { meta(o)["ownerReferences"] = []any{map[string]any{"kind": "TailnetGateway"}} })},
	{"a Secret with the label", added("v1", "Secret", "x", map[string]any{"tsunaro.io/gateway": gw})},
	{"the auth Secret", added("v1", "Secret", gw+"-auth", nil)},
	{"everything in another namespace", onEach(func(o map[string]any) { replaceAll(o, "gateways", "other") })},
	{"a label that looks like ours", onEach(func(o map[string]any) { in(o, "metadata", "labels")["tsunaro.io/pool"] = "x" })},
	{"another format for all", onEach(func(o map[string]any) { in(o, "metadata", "annotations")["tsunaro.io/render-format"] = "2" })},
	{"an engine's own label", onEach(func(o map[string]any) { in(o, "metadata", "labels")["kustomize.toolkit.fluxcd.io/name"] = "x" })},
	{"a label in the template", onWorkload(func(o map[string]any) { in(o, "spec", "template", "metadata", "labels")["team"] = "net" })},
	{"a debug container", onWorkload(func(o map[string]any) {
		in(o, "spec", "template", "spec")["ephemeralContainers"] = []any{map[string]any{"name": "debug"}}
	})},
	{"host network", onWorkload(func(o map[string]any) { in(o, "spec", "template", "spec")["hostNetwork"] = true })},
	{"a liveness probe", onWorkload(func(o map[string]any) {
		container(o, 0)["livenessProbe"] = map[string]any{"exec": map[string]any{"command": []any{"true"}}}
	})},
	{"a status", onWorkload(func(o map[string]any) { o["status"] = map[string]any{"replicas": 1} })},
	{"a second ClusterRoleBinding", func(_ testing.TB, b build) build {
		return append(b, map[string]any{
			"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": map[string]any{"name": "x"},
			"roleRef":  map[string]any{"kind": "ClusterRole", "name": "admin"},
			"subjects": []any{map[string]any{"kind": "ServiceAccount", "name": gw, "namespace": "gateways"}},
		})
	}},
	{"a hash in the name of the hosts source", func(t testing.TB, b build) build {
		meta(b.at(t, "ConfigMap/office-hosts"))["name"] = "office-hosts-8mbdf7882g"
		return b
	}},
	{"nothing", func(testing.TB, build) build { return build{} }},
	{"the CRs alone", without(nine)},
	{"a Role twice", func(t testing.TB, b build) build { return append(b, build{b.at(t, "Role/"+gw)}.clone(t)...) }},
	{"another UID for all", onEach(func(o map[string]any) { replaceAll(o, "7a0d9a2e-1b2c-4d3e-8f90-112233445566", "mine") })},
	{"what Flux would expand", func(t testing.TB, b build) build {
		in(b.at(t, "ConfigMap/"+gw+"-coredns"), "data")["Corefile"] = "${x}\n"
		return b
	}},
	{"a sysctl less", onWorkload(func(o map[string]any) { delete(in(o, "spec", "template", "spec", "securityContext"), "sysctls") })},
}

func meta(o map[string]any) map[string]any { return in(o, "metadata") }

func in(o map[string]any, keys ...string) map[string]any {
	for _, k := range keys {
		o = o[k].(map[string]any)
	}
	return o
}

func container(o map[string]any, i int) map[string]any {
	return in(o, "spec", "template", "spec")["containers"].([]any)[i].(map[string]any)
}

// onEach changes each of the nine.
func onEach(do func(map[string]any)) func(testing.TB, build) build {
	return func(_ testing.TB, b build) build {
		for _, o := range b {
			if nine(o) {
				do(o)
			}
		}
		return b
	}
}

func onWorkload(do func(map[string]any)) func(testing.TB, build) build {
	return func(t testing.TB, b build) build {
		do(b.at(t, "StatefulSet/"+gw))
		return b
	}
}

func added(version, kind, name string, labels map[string]any) func(testing.TB, build) build {
	return func(_ testing.TB, b build) build {
		return append(b, map[string]any{"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": name, "labels": labels}})
	}
}

func without(which func(map[string]any) bool) func(testing.TB, build) build {
	return func(_ testing.TB, b build) build { return slices.DeleteFunc(b, which) }
}

func replaceAll(node any, old, text string) {
	switch n := node.(type) {
	case map[string]any:
		for k, v := range n {
			if v == old {
				n[k] = text
			}
			replaceAll(v, old, text)
		}
	case []any:
		for _, v := range n {
			replaceAll(v, old, text)
		}
	}
}

// survivors are the fields that no rule on a build looks at, with the reason. A
// pattern is met by the name of a mutant.
var survivors = []struct{ pattern, why string }{
	{`^StatefulSet/.*: changed spec\.template\.spec\.containers\[0\]\.env\[7\]\.value$`, "a URL of the server is as good as another"},
	{`^StatefulSet/.*: changed spec\.template\.spec\.initContainers\[0\]\.command\[2\]$`, "a script that looks and does not write may be worded in any way"},
}

func survives(name string) bool {
	return slices.ContainsFunc(survivors, func(s struct{ pattern, why string }) bool { return regexp.MustCompile(s.pattern).MatchString(name) })
}

// Every field of the nine is some rule's: whichever is left out or changed, a
// rule on the build says so. Each rule has mutants that no other one catches, and
// with this rule left out such a mutant passes.
//
// REQ: RN-02, UP-08
func TestBuildMutants(t *testing.T) {
	t.Parallel()
	base := rendering(t, "full")
	mutants := generated(t, base, nine)
	if len(mutants) < 700 {
		t.Errorf("%d generated mutants, want at least 700", len(mutants))
	}
	for _, h := range hand {
		mutants = append(mutants, mutant{h.name, h.do(t, base.clone(t))})
	}
	kill(t, builds, mutants, survives, func(b build) policies.Input { return policies.Input{New: b.list()} })
}

// kill runs the rules on the mutants.
func kill(t *testing.T, packages []policies.Package, mutants []mutant, survives func(name string) bool, input func(build) policies.Input) {
	t.Helper()
	e := engine(t, packages)
	only := map[string]mutant{} // by the one rule that catches it
	for _, m := range mutants {
		caught := ids(eval(t, e, input(m.build)))
		if (len(caught) == 0) != survives(m.name) {
			t.Errorf("%s: caught by %v", m.name, caught)
		}
		if len(caught) == 1 {
			if _, ok := only[caught[0]]; !ok {
				only[caught[0]] = m
			}
		}
	}
	all, err := policies.Rules()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		if !slices.Contains(packages, r.Package()) {
			continue
		}
		m, ok := only[r.ID]
		if !ok {
			t.Errorf("%s: no mutant that it alone catches", r.ID)
			continue
		}
		if found := eval(t, engine(t, packages, r.ID), input(m.build)); len(found) > 0 {
			t.Errorf("without %s the mutant %s is still caught, by %v", r.ID, m.name, ids(found))
		}
	}
}

// may are the fields of which a change in a build is no finding.
var may = regexp.MustCompile(strings.Join([]string{
	// UP-01: what the CRs say may change.
	`^Tailnet/office: \w+ spec\.(apiURL|allowHTTP|bootstrapSecretRef|policy)`,
	`^TailnetGateway/.*: \w+ spec\.(suspend|deletionPolicy|routes|tailnetLBCIDR|poolLabels|images|dns\.records)`,
	`^TailnetGateway/.*: without spec\.(renderFormat|stateSecretRef|stateSecretRef\.name)$`, // means the same
	`^Tailnet(Gateway)?/.*: \w+ metadata\.(labels|annotations)`,
	// An empty list of requests is none.
	`^TailnetGateway/.*: without spec\.pod\.resources\.coredns\.requests$`,
	// UP-02, UP-11: what the nine may change in.
	`^StatefulSet/.*: \w+ spec\.template\.spec\.(containers|initContainers)\[\d\]\.image$`,
	`^StatefulSet/.*: \w+ spec\.template\.spec\.containers\[0\]\.env\[5\]\.value$`,
	`^ConfigMap/.*-coredns: \w+ data(\.Corefile|\.hosts|\[zone\.db\])$`,
	`^ConfigMap/.*-coredns: \w+ metadata\.annotations\[tsunaro\.io/dns-content-sha256\]$`,
	`^Service/.*-lb: \w+ metadata\.(labels|annotations)[\[.](example\.com/pool|lb-pool|quoted-oct|tsunaro\.io/pool-label-keys)`,
	`ignore-healthcheck\]$`,
	// Which versions are served is for admission to say, and whether something is
	// there at all for the rules on a build.
	`^Tailnet(Gateway)?/.*: changed apiVersion$`,
	`^ConfigMap/.*-coredns: without data$`,
}, "|"))

// changed are mutants of a new build that no change of one field gives.
var changed = []struct {
	name string
	do   func(t testing.TB, b build) build
}{
	{"the gateway under another name", func(t testing.TB, b build) build {
		for _, o := range b {
			replaceAll(o, gw, "new")
			for k, v := range meta(o) {
				if s, ok := v.(string); ok {
					meta(o)[k] = strings.Replace(s, gw, "new", 1)
				}
			}
		}
		return b
	}},
	{"one of the nine is gone", without(func(o map[string]any) bool { return o["kind"] == "Role" })},
	{"no hosts source", without(func(o map[string]any) bool { return id(o) == "ConfigMap/office-hosts" })},
	{"a serial that went back", func(t testing.TB, b build) build {
		in(b.at(t, "ConfigMap/"+gw+"-coredns"), "metadata", "annotations")["tsunaro.io/dns-serial"] = "0"
		return b
	}},
}

// Of two builds every difference is some rule's but those in fields that may
// change.
//
// REQ: UP-01, UP-08
func TestChangeMutants(t *testing.T) {
	t.Parallel()
	base := rendering(t, "full")
	in(base.at(t, "TailnetGateway/"+gw), "spec")["deletionPolicy"] = "Retain" // or dropping it is consented
	mutants := generated(t, base, func(o map[string]any) bool { return nine(o) || cr(o) })
	if len(mutants) < 800 {
		t.Errorf("%d generated mutants, want at least 800", len(mutants))
	}
	for _, h := range changed {
		mutants = append(mutants, mutant{h.name, h.do(t, base.clone(t))})
	}
	kill(t, changes, mutants, may.MatchString, func(b build) policies.Input { return policies.Input{Old: base.list(), New: b.list()} })
}

// lives are the fields in which a live object may differ from its rendering.
var lives = regexp.MustCompile(strings.Join([]string{
	`^StatefulSet/.*: \w+ spec\.template\.spec\.(containers|initContainers)\[\d\]\.image$`,
	`^StatefulSet/.*: \w+ spec\.template\.spec\.containers\[0\]\.env\[5\]\.value$`,
	`^ConfigMap/.*-coredns: (\w+ data(\.Corefile|\.hosts|\[zone\.db\])|without data)$`,
	`: \w+ metadata\.annotations\[tsunaro\.io/(dns-serial|dns-content-sha256|pool-label-keys)\]$`,
	`: \w+ metadata\.annotations\[(argocd|kustomize)\.`,
	`^Service/.*-lb: \w+ metadata\.labels[\[.](example\.com/pool|lb-pool|quoted-oct)`,
}, "|"))

// Of a live object every difference shows but those in the mask, and with it
// object, path and both values.
//
// REQ: ST-06, LC-15, LC-16
func TestDriftMutants(t *testing.T) {
	t.Parallel()
	desired := slices.DeleteFunc(rendering(t, "full"), func(o map[string]any) bool { return !nine(o) })
	mutants := generated(t, desired, nine)
	mutants = append(mutants, mutant{"a Role is gone", desired.clone(t)[1:]})
	input := func(b build) policies.Input { return policies.Input{Desired: desired.list(), Live: b.list()} }
	kill(t, drifts, mutants, lives.MatchString, input)

	m := desired.clone(t)
	in(m.at(t, "PodDisruptionBudget/"+gw), "spec")["minAvailable"] = 2
	found := eval(t, engine(t, drifts), input(m))
	if len(found) != 1 || found[0].Object != "PodDisruptionBudget/gateways/"+gw || found[0].Path != "spec.minAvailable" ||
		found[0].Want != 1.0 || found[0].Have != 2.0 {
		t.Errorf("%+v", found)
	}
}
