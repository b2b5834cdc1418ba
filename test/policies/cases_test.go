package policies

import (
	"strings"
	"testing"

	"tsunaro.io/gateway/policies"
	"tsunaro.io/gateway/test/kustomize"
)

// The base inputs of the kustomize tests, with the function in both forms.
func generator(more string) kustomize.Layer {
	return kustomize.Base().With(kustomize.Layer{"kustomization.yaml": "generators: [generate.yaml]\n" + more})
}

func transformer() kustomize.Layer {
	return kustomize.Base().With(kustomize.Layer{
		"kustomization.yaml": "resources: [tailnet.yaml, gateway.yaml, egress.yaml, hosts.yaml]\ntransformers: [render.yaml]\n",
	})
}

// judge returns the rules that a build breaks, each with one of its findings.
func judge(t testing.TB, e *policies.Engine, text string, old ...string) map[string]policies.Finding {
	t.Helper()
	in := policies.Input{New: parse(t, []byte(text)).list()}
	for _, o := range old {
		in.Old = append(in.Old, parse(t, []byte(o)).list()...)
	}
	found := map[string]policies.Finding{}
	for _, f := range eval(t, e, in) {
		found[f.ID] = f
	}
	return found
}

func names(found map[string]policies.Finding) []string {
	var out []string
	for id := range found {
		out = append(out, id)
	}
	return out
}

// B03: a label for all objects that gets into selectors or the Pod template is
// refused before it is applied; one on the objects alone is fine.
//
// REQ: RN-04
func TestB03(t *testing.T) {
	e := engine(t, builds)
	for _, c := range []struct {
		variant, fields string
		want            []string
	}{
		{"1", "commonLabels: {team: net}\n", []string{"rendered/selectors", "transformed/template"}},
		{"1, in today's words", "labels: [{pairs: {team: net}, includeSelectors: true}]\n", []string{"rendered/selectors", "transformed/template"}},
		{"2", "labels: [{pairs: {team: net}, includeSelectors: false, includeTemplates: false}]\n", nil},
		{"3", "labels: [{pairs: {team: net}, includeSelectors: false, includeTemplates: true}]\n", []string{"transformed/template"}},
	} {
		t.Run(c.variant, func(t *testing.T) {
			kustomize.Same(t, names(judge(t, e, kustomize.Build(t, generator(c.fields).Write(t)).Must(t).Stdout)), c.want)
			outer := transformer().Under("inner").With(kustomize.Layer{"kustomization.yaml": "resources: [inner]\n" + c.fields})
			kustomize.Same(t, names(judge(t, e, kustomize.Build(t, outer.Write(t)).Must(t).Stdout)), c.want)
		})
	}
}

// Each setting of an outer layer that breaks the nine is somebody's rule.
//
// REQ: RN-12, RN-08, CF-03
func TestOuterLayers(t *testing.T) {
	e := engine(t, builds)
	for _, c := range []struct{ fields, want string }{
		{"namespace: other", "rendered/namespace"},
		{"namePrefix: x-", "transformed/names"},
		{"nameSuffix: -x", "transformed/names"},
		{"images: [{name: registry.k8s.io/coredns/coredns, newTag: latest}]", "transformed/images"},
		{"replicas: [{name: gw1, count: 2}]", "rendered/workload"},
		{"commonAnnotations: {team: net}", "transformed/template"},
		{`patches: [{target: {kind: Service, name: gw1-lb}, patch: '[{"op": "remove", "path": "/spec/ipFamilyPolicy"}]'}]`, "rendered/services"},
		{"patches: [{patch: '{$patch: delete, apiVersion: v1, kind: Service, metadata: {name: gw1-lb, namespace: tsunaro-system}}'}]", "rendered/nine"},
		{`patches: [{target: {kind: Role}, patch: '[{"op": "add", "path": "/rules/0/verbs/-", "value": "create"}]'}]`, "rendered/role"},
		{`patches: [{target: {kind: RoleBinding}, patch: '[{"op": "replace", "path": "/roleRef/name", "value": "admin"}]'}]`, "transformed/roles"},
		{`patches: [{target: {kind: TailnetGateway}, patch: '[{"op": "add", "path": "/spec/loadBalancerIP", "value": "198.51.100.77"}]'}]`, "transformed/spec"},
		{"labels: [{pairs: {argocd.argoproj.io/instance: x}}]", "transformed/engines"},
	} {
		outer := transformer().Under("inner").With(kustomize.Layer{"kustomization.yaml": "resources: [inner]\n" + c.fields + "\n"})
		found := judge(t, e, kustomize.Build(t, outer.Write(t)).Must(t).Stdout)
		if _, ok := found[c.want]; !ok {
			t.Errorf("%s: %v, want %s among them", c.fields, names(found), c.want)
		}
	}
}

// B13: units that a CR may be written in come out canonical, and a spelling that
// an API server would change is refused wherever it comes from.
//
// REQ: RN-06
func TestB13(t *testing.T) {
	e := engine(t, builds)
	l := transformer()
	l["gateway.yaml"] += `  pod:
    resources:
      tailscale: {requests: {cpu: "0.5", memory: 1000M}, limits: {cpu: 1000m, memory: 1024Mi}}
      coredns: {requests: {}, limits: {}}
`
	build := kustomize.Build(t, l.Write(t)).Must(t).Stdout
	if found := judge(t, e, build); len(found) > 0 {
		t.Errorf("the rendering itself is refused: %v", names(found))
	}
	for why, edit := range map[string][2]string{
		"an empty clusterIP":     {"  loadBalancerIP:", "  clusterIP: \"\"\n  loadBalancerIP:"},
		"resources: null":        {"        resources: {}\n", "        resources: null\n"},
		"creationTimestamp":      {"  name: gw1-lb\n", "  name: gw1-lb\n  creationTimestamp: null\n"},
		"an empty status":        {"\nspec:\n  minAvailable: 1\n", "\nstatus: {}\nspec:\n  minAvailable: 1\n"},
		"half a processor":       {"cpu: 500m", "cpu: 0.5"},
		"a thousand millicores":  {"cpu: \"1\"", "cpu: 1000m"},
		"1000M":                  {"memory: 1G\n", "memory: 1000M\n"},
		"a port of no protocol":  {"    port: 53\n    protocol: UDP\n", "    port: 53\n"},
		"two ports with a name":  {"  - name: dns-tcp\n    port: 53\n", "  - name: dns-udp\n    port: 53\n"},
		"a container port of no": {"          name: dns-udp\n          protocol: UDP\n", "          name: dns-udp\n"},
	} {
		changed := strings.Replace(build, edit[0], edit[1], 1)
		if changed == build {
			t.Errorf("%s: %q is not in the build", why, edit[0])
		} else if _, ok := judge(t, e, changed)["rendered/spelling"]; !ok {
			t.Errorf("%s is not refused", why)
		}
	}
}

// B15: nothing lets an engine prune, delete or force what it applied, and no
// tracking key of the sources is on the nine.
//
// REQ: RN-09, LC-18, UP-08
func TestB15(t *testing.T) {
	onBuild, onChange := engine(t, builds), engine(t, changes)
	tracked := strings.NewReplacer("\nmetadata:\n", "\nmetadata:\n  annotations: {argocd.argoproj.io/tracking-id: \"a:b\", kustomize.toolkit.fluxcd.io/name: a}\n")
	l := transformer()
	for _, name := range []string{"tailnet.yaml", "gateway.yaml"} {
		l[name] = tracked.Replace(l[name])
	}
	build := kustomize.Build(t, l.Write(t)).Must(t).Stdout
	if !strings.Contains(build, "tracking-id") {
		t.Fatal("the sources carry no tracking key")
	}
	if found := judge(t, onBuild, build); len(found) > 0 {
		t.Errorf("4: the keys of the sources: %v", names(found))
	}
	for why, c := range map[string]struct{ old, new, rule string }{
		"1: pruned":       {"kustomize.toolkit.fluxcd.io/prune: disabled", "kustomize.toolkit.fluxcd.io/prune: enabled", "retention"},
		"2: deleted":      {"Prune=false,Delete=false", "Prune=false", "retention"},
		"3: forced":       {"kustomize.toolkit.fluxcd.io/force: disabled", "kustomize.toolkit.fluxcd.io/force: enabled", "retention"},
		"4: copied":       {"kustomize.toolkit.fluxcd.io/force: disabled", "kustomize.toolkit.fluxcd.io/force: disabled\n    kustomize.toolkit.fluxcd.io/name: a", "engines"},
		"2: replaced too": {"Prune=false,Delete=false", "Prune=false,Delete=false,Replace=true", "retention"},
	} {
		changed := strings.Replace(build, c.old, c.new, 1)
		found := judge(t, onBuild, changed)
		_, rendered := found["rendered/"+c.rule]
		_, transformed := found["transformed/"+c.rule]
		if changed == build || !rendered && !transformed {
			t.Errorf("%s: %v", why, names(found))
		}
	}
	// 3: a name that is immutable changed; a forced apply would make it anew.
	l["gateway.yaml"] = strings.Replace(l["gateway.yaml"], "serviceName: gw1-dns", "serviceName: other-dns", 1)
	kustomize.Same(t, names(judge(t, onChange, kustomize.Build(t, l.Write(t)).Must(t).Stdout, build)), []string{"change/dropped", "change/gateway"})
	// 4: what the minter makes is in no build.
	for _, o := range []string{"Secret: gw1-state", "Secret: gw1-auth", "ConfigMap: gw1-auth-receipt", "ConfigMap: gw1-fresh"} {
		kind, name, _ := strings.Cut(o, ": ")
		more := build + "---\napiVersion: v1\nkind: " + kind + "\nmetadata: {name: " + name + ", namespace: tsunaro-system}\n"
		kustomize.Same(t, names(judge(t, onBuild, more)), []string{"rendered/kinds"})
	}
	// 1: the CR moved to another directory: this build drops it.
	kustomize.Same(t, names(judge(t, onChange, "", build)), []string{"change/dropped", "change/hosts"})
}

// B28: what the environment of the Tailscale container must and must not hold.
//
// REQ: PD-03
func TestB28(t *testing.T) {
	e := engine(t, builds)
	l := transformer()
	build := kustomize.Build(t, l.Write(t)).Must(t).Stdout
	if found := judge(t, e, build); len(found) > 0 {
		t.Fatalf("the rendering itself is refused: %v", names(found))
	}
	const args = "value: --reset --accept-routes=false"
	for _, c := range [][2]string{
		{"name: TS_AUTH_ONCE\n          value: \"false\"", "name: TS_AUTH_ONCE\n          value: \"true\""},
		{"name: TS_USERSPACE\n          value: \"false\"", "name: TS_USERSPACE\n          value: \"true\""},
		{args, "value: --accept-routes=false"},
		{args, "value: --reset"},
		{args, "value: --reset --accept-routes=true"},
		{args, args + " --advertise-tags=tag:gateway"},
		{args, args + " --force-reauth"},
		{args, args + " --auto-update"},
		{args, args + " --authkey=x"},
		{args, args + " --exit-node=x"},
	} {
		changed := strings.Replace(build, c[0], c[1], 1)
		found := judge(t, e, changed)
		if _, ok := found["rendered/arguments"]; changed == build || !ok {
			t.Errorf("%s: %v", c[1], names(found))
		}
	}
}

// B49: where the function did not run the check fails, whatever else came out.
//
// REQ: RN-13
func TestB49(t *testing.T) {
	e := engine(t, builds)
	build := func(l kustomize.Layer, flags ...string) string {
		return kustomize.Kustomize(t, kustomize.Cmd{Args: append(append([]string{"build"}, flags...), l.Write(t))}).Must(t).Stdout
	}
	const plugins, exec = "--enable-alpha-plugins", "--enable-exec"
	other := kustomize.Layer{"configmap.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n"}
	beside := generator("resources: [configmap.yaml]\n").With(other)
	typo := generator("")
	typo["generate.yaml"] = strings.Replace(typo["generate.yaml"], "exec:", "execs:", 1)
	for _, c := range []struct {
		why, build string
		bytes      bool
		want       []string
	}{
		{"2: without --enable-exec", build(generator(""), plugins), false, []string{"rendered/nine"}},
		{"4: with both flags", build(generator(""), plugins, exec), true, nil},
		{"5: a ConfigMap beside it", build(beside, plugins), true, []string{"rendered/nine"}},
		{"the CRs are in the build and the function is not", build(transformer(), plugins), true, []string{"rendered/nine"}},
	} {
		if (c.build != "") != c.bytes {
			t.Errorf("%s: the build is %d bytes", c.why, len(c.build))
		}
		found := judge(t, e, c.build)
		kustomize.Same(t, names(found), c.want)
		if f, ok := found["rendered/nine"]; ok && !strings.Contains(f.Text, "the function did not run") {
			t.Errorf("%s: it says %q", c.why, f.Text)
		}
	}
	// 6: kustomize takes a mistyped function for nothing, or for an error.
	r := kustomize.Kustomize(t, kustomize.Cmd{Args: []string{"build", plugins, exec, typo.Write(t)}})
	if found := judge(t, e, r.Stdout); r.Code == 0 && len(found) == 0 {
		t.Error("6: a mistyped function passes")
	}
	// A missing set is no order to delete: against the old build it is refused.
	onChange := engine(t, changes)
	if found := judge(t, onChange, "", build(generator(""), plugins, exec)); len(found) == 0 {
		t.Error("an empty build passes for a change")
	}
}
