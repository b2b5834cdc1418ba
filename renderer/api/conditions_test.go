package api

import (
	"slices"
	"strings"
	"testing"
)

// REQ: ST-03, ST-09
func TestConditionTable(t *testing.T) {
	seen, described := map[Key]bool{}, map[string]bool{}
	for _, d := range ConditionTypes {
		if described[d.Type] || d.Question == "" {
			t.Errorf("%s is described twice, or not at all", d.Type)
		}
		described[d.Type] = true
	}
	for _, c := range Conditions {
		if seen[c.Key()] {
			t.Errorf("%v is listed twice", c.Key())
		}
		seen[c.Key()] = true
		if !described[c.Type] {
			t.Errorf("%v: the type is not described", c.Key())
		}
		for _, name := range parameters(c.Text + c.Also) {
			if Parameters[name] == "" {
				t.Errorf("%v: no parameter %q", c.Key(), name)
			}
		}
		for _, text := range append(strings.Split(c.Also, "\n"), c.Text, c.Next) {
			if text != "" && !strings.HasSuffix(text, ".") {
				t.Errorf("%v: %q is no sentence", c.Key(), text)
			}
		}
		if c.Text == "" || c.Status == "" {
			t.Errorf("%v says nothing", c.Key())
		}
	}
	if len(seen) < 60 {
		t.Errorf("%d rows, want at least 60", len(seen))
	}
}

// Ready alone decides kstatus, and a success has no effect and is healthy.
//
// REQ: ST-01, ST-08
func TestEffectFollowsReady(t *testing.T) {
	for _, c := range Conditions {
		ready := c.Type == ConditionReady
		switch {
		case !ready && c.Effect != NoEffect:
			t.Errorf("%v has the effect %s", c.Key(), c.Effect)
		case c.Effect == Stalls && c.Health != Degraded:
			t.Errorf("%v stalls and is %q", c.Key(), c.Health)
		case c.Effect == Reconciles && c.Health != Progressing:
			t.Errorf("%v reconciles and is %q", c.Key(), c.Health)
		case ready && c.Status == True && (c.Effect != NoEffect || c.Health != Healthy):
			t.Errorf("%v is a success", c.Key())
		case ready && c.Status != True && c.Effect == NoEffect && c.Reason != ReasonSuspended:
			t.Errorf("%v neither reconciles nor stalls", c.Key())
		case c.Effect == Stalls && c.Next == "":
			t.Errorf("%v leaves the user alone", c.Key())
		}
	}
}

// The reasons that the contract names, with their status.
//
// REQ: LC-04, ST-01, ST-09, UP-03, UP-04, UP-06, DL-05
func TestContractReasons(t *testing.T) {
	for _, want := range []struct {
		conditionType, reason string
		status                Status
	}{
		{"Ready", "Suspended", False},
		{"Ready", "Provisioning", False},
		{"Ready", "AwaitingResources", False},
		{"Ready", "FreshBlocked", False},
		{"Ready", "IdentityChanged", False},
		{"Ready", "FreshRuntimeReady", True},
		{"Ready", "TailnetMissing", False},
		{"Ready", "APIKeyMissing", False},
		{"Ready", "HostsMissing", False},
		{"Ready", "Deleting", False},
		{"Ready", "TeardownBlocked", False},
		{"Bound", "Suspended", Unknown},
		{"Registered", "Suspended", Unknown},
		{"RoutesInSync", "Suspended", Unknown},
		{"RoutesInSync", "Approved", True},
		{"RoutesInSync", "NotApproved", False},
		{"DNSReady", "Suspended", Unknown},
		{"DNSReady", "DNSInSync", True},
		{"DNSReady", "DNSUpdateBlocked", False},
		{"DNSReady", "DNSUpdateConflict", False},
		{"InSync", "Suspended", Unknown},
		{"StaleNodes", "ExternallyManaged", Unknown},
		{"StaleNodes", "Suspended", Unknown},
		{"ClusterDNSForward", "ExternallyManaged", Unknown},
		{"ClusterDNSForward", "Suspended", Unknown},
		{"WorkloadCurrent", "PodCurrent", True},
		{"WorkloadCurrent", "PodTemplateStale", False},
		{"WorkloadCurrent", "TemplateOutOfSync", False},
		{"WorkloadCurrent", "WorkloadUpdateBlocked", False},
		{"ServiceReady", "LoadBalancerAssigned", True},
		{"ServiceReady", "LBPending", False},
		{"ServiceReady", "ServiceUpdateBlocked", False},
	} {
		c, ok := FindCondition(KindTailnetGateway, want.conditionType, want.reason)
		if !ok || c.Status != want.status {
			t.Errorf("%s/%s: %v %q, want %s", want.conditionType, want.reason, ok, c.Status, want.status)
		}
	}
	// REQ: UP-07
	for _, absent := range []string{"WorkloadCurrent", "ServiceReady"} {
		if _, ok := FindCondition(KindTailnetGateway, absent, "Suspended"); ok {
			t.Errorf("%s is absent while suspended, and has no reason for it", absent)
		}
	}
}

func TestMessage(t *testing.T) {
	c := Condition{Text: "{object} differs.", Also: "At {path}.\nRun {command}."}
	for _, want := range []struct {
		values map[string]string
		text   string
	}{
		{map[string]string{"object": "Service/a"}, "Service/a differs."},
		{map[string]string{"object": "Service/a", "path": "spec.type"}, "Service/a differs. At spec.type."},
		{map[string]string{"object": "Service/a", "command": "c"}, "Service/a differs. Run c."},
		{map[string]string{"object": "Service/a", "path": "spec.type", "command": "c"}, "Service/a differs. At spec.type. Run c."},
		{nil, "{object} differs."},
	} {
		if got := c.Message(want.values); got != want.text {
			t.Errorf("%v: %q, want %q", want.values, got, want.text)
		}
	}
}

// REQ: UP-01
func TestClassOf(t *testing.T) {
	for path, want := range map[string]Class{
		"spec.tags[2]":                                Identity,
		"spec.routes.lan[0]":                          Mutable,
		"spec.dns.records[3].name":                    Mutable,
		"spec.dns.records":                            Mutable,
		"spec.dns.extraZones[0].upstreams[1]":         Identity,
		"spec.dns":                                    "",
		"spec.poolLabels[a.b/c]":                      Mutable,
		"spec.pod":                                    Pinned,
		"spec.pod.resources.coredns.limits[cpu]":      Pinned,
		"spec.loadBalancerIP":                         Identity,
		"spec.zone":                                   "",
		"spec.tag":                                    "",
		"spec.images":                                 Mutable,
		"spec.adoption.objects[0].uid":                Identity,
		"spec.pod.tolerations[0].tolerationSeconds":   Pinned,
		"spec.pod.nodeSelector[kubernetes.io/os]":     Pinned,
		"spec.routes.advertiseEgressTargets":          Mutable,
		"spec.tailnetLBCIDR":                          Mutable,
		"spec.deletionPolicy":                         Mutable,
		"spec.suspend":                                Mutable,
		"spec.images.coredns":                         Mutable,
		"spec.dns.clusterIP":                          Identity,
		"spec.pod.sysctls[1].value":                   Pinned,
		"spec.pod.resources.tailscale.requests[a.b/]": Pinned,
	} {
		got, ok := ClassOf(GatewayFields, path)
		if got != want || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", path, got, ok, want)
		}
	}
	if !slices.ContainsFunc(TailnetFields, func(f Field) bool { return f.Class == Pinned }) {
		t.Error("a Tailnet has pinned fields")
	}
}
