package renderer_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/objects"
)

// nine is one rendered gateway in the Kubernetes API's own types.
type nine struct {
	name, namespace string
	account         corev1.ServiceAccount
	role            rbacv1.Role
	roleBinding     rbacv1.RoleBinding
	config          corev1.ConfigMap
	services        []corev1.Service // headless, DNS, LoadBalancer
	budget          policyv1.PodDisruptionBudget
	workload        appsv1.StatefulSet
	raw             map[string][]byte // by Kind/name
}

// decode reads a rendered gateway strictly: a field that the API does not have
// fails, and so does one that the API would write differently (RN-06).
func decode(t *testing.T, g renderer.Gateway) nine {
	t.Helper()
	if len(g.Objects) != objects.Count {
		t.Fatalf("%d objects, want %d", len(g.Objects), objects.Count)
	}
	n := nine{name: g.Gateway.Name, namespace: g.Tailnet.OperatorNamespace, raw: map[string][]byte{}}
	for _, o := range g.Objects {
		n.raw[o.Kind+"/"+o.Name] = o.JSON
		switch o.Kind {
		case "ServiceAccount":
			strict(t, o, &n.account)
		case "Role":
			strict(t, o, &n.role)
		case "RoleBinding":
			strict(t, o, &n.roleBinding)
		case "ConfigMap":
			strict(t, o, &n.config)
		case "Service":
			n.services = append(n.services, corev1.Service{})
			strict(t, o, &n.services[len(n.services)-1])
		case "PodDisruptionBudget":
			strict(t, o, &n.budget)
		case "StatefulSet":
			strict(t, o, &n.workload)
		default:
			t.Errorf("%s is not one of the nine kinds", o.Kind)
		}
	}
	if len(n.services) != 3 {
		t.Fatalf("%d Services, want 3", len(n.services))
	}
	return n
}

func strict(t *testing.T, o objects.Object, into any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(o.JSON))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%s: %v", o.Object, err)
	}
	back, err := json.Marshal(into)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := tree(t, o.JSON), tree(t, back); !equalTrees(a, b) {
		t.Errorf("%s: the API spells it differently:\n%s\n%s", o.Object, o.JSON, back)
	}
}

// tree drops what typed objects add and nobody wrote: an empty status.
func tree(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	delete(v, "status")
	return v
}

func equalTrees(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// TestPostConditions says what has to be true of every rendered gateway, in the
// words of the requirements and on the API's types: nothing of the renderer is
// used but its bytes.
func TestPostConditions(t *testing.T) {
	conditions := []struct {
		name  string
		holds func(*testing.T, nine)
	}{
		{"REQ: LC-05 nothing is owned", nothingOwned},
		{"REQ: RN-03 shape of workload, Services and budget", shape},
		{"REQ: RN-04 selectors hold both UIDs and nothing else", selectors},
		{"REQ: RN-06 every server default is written out", serverDefaults},
		{"REQ: RN-09 retained by both engines", retained},
		{"REQ: RN-11 stamped with the render format", stamped},
		{"REQ: RN-12 everything is in the operator namespace", inNamespace},
		{"REQ: PD-01 PD-05 privileges and mounts", privileges},
		{"REQ: PD-02 preflight", preflight},
		{"REQ: PD-03 Tailscale's arguments and key", arguments},
		{"REQ: PD-04 readiness and no liveness", probes},
		{"REQ: PD-06 the Pod's Role", podRole},
		{"REQ: PD-07 configuration directory and metrics", configuration},
		{"REQ: PD-10 TUN, ports and platforms", platform},
		{"no text that Flux or the kubelet would expand", noExpansion},
	}
	gateways := 0
	for _, in := range goldenInputs(t) {
		for _, g := range mustRender(t, readFile(t, in)).Gateways {
			if g.Gateway.Suspended {
				continue
			}
			gateways++
			n := decode(t, g)
			for _, c := range conditions {
				t.Run(g.Gateway.Name+"/"+c.name, func(t *testing.T) { c.holds(t, n) })
			}
		}
	}
	if gateways < 5 {
		t.Errorf("%d gateways, want at least 5", gateways)
	}
}

// metadata of all nine, by Kind/name.
func (n nine) metadata(t *testing.T) map[string]metadata {
	t.Helper()
	all := map[string]metadata{}
	for name, raw := range n.raw {
		var o struct{ Metadata metadata }
		if err := json.Unmarshal(raw, &o); err != nil {
			t.Fatal(err)
		}
		all[name] = o.Metadata
	}
	return all
}

type metadata struct {
	Name, Namespace     string
	Labels, Annotations map[string]string
	OwnerReferences     []any
	Finalizers          []string
}

func nothingOwned(t *testing.T, n nine) {
	for name, m := range n.metadata(t) {
		if m.OwnerReferences != nil || m.Finalizers != nil {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

func shape(t *testing.T, n nine) {
	s := n.workload.Spec
	if *s.Replicas != 1 || s.UpdateStrategy.Type != appsv1.OnDeleteStatefulSetStrategyType || s.ServiceName != n.name {
		t.Errorf("StatefulSet: replicas %d, strategy %s, service %s", *s.Replicas, s.UpdateStrategy.Type, s.ServiceName)
	}
	if n.budget.Spec.MinAvailable.IntValue() != 1 || n.budget.Spec.MaxUnavailable != nil {
		t.Errorf("budget: %+v", n.budget.Spec)
	}
	types := []corev1.ServiceType{"ClusterIP", "ClusterIP", "LoadBalancer"}
	for i, svc := range n.services {
		if svc.Spec.Type != types[i] || *svc.Spec.IPFamilyPolicy != corev1.IPFamilyPolicySingleStack ||
			!slices.Equal(svc.Spec.IPFamilies, []corev1.IPFamily{corev1.IPv4Protocol}) {
			t.Errorf("Service %s: %+v", svc.Name, svc.Spec)
		}
		names := map[string]corev1.Protocol{}
		for _, p := range svc.Spec.Ports {
			if p.Port != 53 || p.NodePort != 0 {
				t.Errorf("Service %s: port %+v", svc.Name, p)
			}
			names[p.Name] = p.Protocol
		}
		if len(names) != 2 || names["dns-udp"] != "UDP" || names["dns-tcp"] != "TCP" {
			t.Errorf("Service %s: ports %v", svc.Name, names)
		}
	}
	headless, dns, lb := n.services[0].Spec, n.services[1].Spec, n.services[2].Spec
	if headless.ClusterIP != "None" || dns.ClusterIP == "" || dns.ClusterIP == "None" || lb.ClusterIP != "" {
		t.Errorf("cluster IPs %q, %q, %q", headless.ClusterIP, dns.ClusterIP, lb.ClusterIP)
	}
	if lb.LoadBalancerIP == "" || *lb.AllocateLoadBalancerNodePorts || lb.HealthCheckNodePort != 0 {
		t.Errorf("LoadBalancer: %+v", lb)
	}
}

func selectors(t *testing.T, n nine) {
	want := map[string]string{
		"tsunaro.io/gateway-uid": n.workload.Labels["tsunaro.io/gateway-uid"],
		"tsunaro.io/state-uid":   n.workload.Labels["tsunaro.io/state-uid"],
	}
	all := []map[string]string{n.workload.Spec.Selector.MatchLabels, n.budget.Spec.Selector.MatchLabels}
	for _, s := range n.services {
		all = append(all, s.Spec.Selector)
	}
	for i, s := range all {
		if !maps.Equal(s, want) || want["tsunaro.io/state-uid"] == "" || want["tsunaro.io/gateway-uid"] == "" {
			t.Errorf("selector %d is %v, want %v", i, s, want)
		}
	}
	for key, value := range want {
		if got := n.workload.Spec.Template.Labels[key]; got != value {
			t.Errorf("template label %s is %q, want %q", key, got, value)
		}
	}
	for name, m := range n.metadata(t) {
		if m.Labels["tsunaro.io/gateway"] != n.name {
			t.Errorf("%s: labels %v", name, m.Labels)
		}
		for key, value := range want {
			if m.Labels[key] != value {
				t.Errorf("%s: label %s is %q", name, key, m.Labels[key])
			}
		}
		if extra := len(m.Labels) - 3; extra > 0 && name != "Service/"+n.name+"-lb" {
			t.Errorf("%s: %d labels besides ours", name, extra)
		}
	}
	lb := n.services[2]
	var pool []string
	for _, key := range slices.Sorted(maps.Keys(lb.Labels)) {
		if !strings.HasPrefix(key, "tsunaro.io/") {
			pool = append(pool, key)
		}
	}
	if got := lb.Annotations["tsunaro.io/pool-label-keys"]; got != strings.Join(pool, ",") {
		t.Errorf("pool label keys %q, want %v", got, pool)
	}
}

func retained(t *testing.T, n nine) {
	for name, m := range n.metadata(t) {
		a := m.Annotations
		if a["kustomize.toolkit.fluxcd.io/prune"] != "disabled" || a["kustomize.toolkit.fluxcd.io/force"] != "disabled" {
			t.Errorf("%s: Flux may prune or force it: %v", name, a)
		}
		options := strings.Split(a["argocd.argoproj.io/sync-options"], ",")
		for _, want := range []string{"Prune=false", "Delete=false"} {
			if !slices.Contains(options, want) {
				t.Errorf("%s: Argo CD's %s is missing: %v", name, want, options)
			}
		}
		if slices.Contains(options, "Force=true") || slices.Contains(options, "Replace=true") {
			t.Errorf("%s: %v", name, options)
		}
		if a["argocd.argoproj.io/compare-options"] != "IgnoreExtraneous" {
			t.Errorf("%s: extraneous to Argo CD", name)
		}
	}
	if n.config.Annotations["kustomize.toolkit.fluxcd.io/ssa"] != "IfNotPresent" {
		t.Error("Flux would take the live zone back")
	}
	if n.services[2].Annotations["argocd.argoproj.io/ignore-healthcheck"] != "true" {
		t.Error("Argo CD would wait for the LoadBalancer's address")
	}
}

func stamped(t *testing.T, n nine) {
	for name, m := range n.metadata(t) {
		if m.Annotations["tsunaro.io/render-format"] != "1" {
			t.Errorf("%s: %v", name, m.Annotations)
		}
	}
}

func inNamespace(t *testing.T, n nine) {
	for name, m := range n.metadata(t) {
		if m.Namespace != n.namespace || m.Namespace == "" {
			t.Errorf("%s: namespace %q, want %q", name, m.Namespace, n.namespace)
		}
	}
}

func podRole(t *testing.T, n nine) {
	if len(n.role.Rules) != 1 {
		t.Fatalf("rules: %+v", n.role.Rules)
	}
	r := n.role.Rules[0]
	if !slices.Equal(slices.Sorted(slices.Values(r.Verbs)), []string{"get", "patch", "update"}) ||
		!slices.Equal(r.ResourceNames, []string{n.name + "-state"}) || !slices.Equal(r.Resources, []string{"secrets"}) ||
		!slices.Equal(r.APIGroups, []string{""}) || r.NonResourceURLs != nil {
		t.Errorf("rule: %+v", r)
	}
	b := n.roleBinding
	if b.RoleRef != (rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: n.role.Name}) || len(b.Subjects) != 1 ||
		b.Subjects[0] != (rbacv1.Subject{Kind: "ServiceAccount", Name: n.account.Name, Namespace: n.namespace}) {
		t.Errorf("binding: %+v", b)
	}
	if n.workload.Spec.Template.Spec.ServiceAccountName != n.account.Name {
		t.Error("the Pod runs as another account")
	}
}

// noExpansion: Flux substitutes ${…} in everything it applies, and the kubelet
// $(…) in arguments and environment.
func noExpansion(t *testing.T, n nine) {
	for name, raw := range n.raw {
		text := string(raw)
		for _, uid := range []string{"gateway", "state"} {
			text = strings.ReplaceAll(text, "${"+strings.ReplaceAll(n.name, "-", "_")+"_"+uid+"_uid:=<unbound>}", "")
		}
		text = strings.ReplaceAll(text, "$(POD_IP):8080", "")
		if strings.Contains(text, "${") || strings.Contains(text, "$(") {
			t.Errorf("%s holds text to expand: %s", name, text)
		}
	}
}
