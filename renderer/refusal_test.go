package renderer_test

import (
	"errors"
	"slices"
	"testing"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

// TestAllAtOnce: what is wrong with one gateway does not hide what is wrong with
// another, its hosts or its routes.
//
// REQ: RN-08
func TestAllAtOnce(t *testing.T) {
	docs, findings := document.Parse("", []byte(`
apiVersion: tsunaro.io/v1alpha1
kind: Tailnet
metadata: {name: home}
spec: {controlURL: https://headscale.example}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: tailnet-dns-hosts, namespace: tsunaro-system, labels: {tsunaro.io/tailnet: home}}
data: {hosts: "127.0.0.1 a.lab.example\n"}
---
apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata: {name: broken}
spec: {tailnetRef: {name: home}}
---
apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata: {name: one}
spec:
  suspend: false
  tailnetRef: {name: home}
  tags: ["tag:gateway"]
  routes: {lan: ["192.168.10.0/24"]}
  tailnetLBCIDR: 10.99.0.0/24
  loadBalancerIP: 10.99.0.53
  dns: {zone: lab.example, serviceName: lab-dns, clusterIP: 10.96.0.53}
`))
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	_, err := renderer.Render(docs)
	var refusal rules.Refusal
	if !errors.As(err, &refusal) {
		t.Fatal(err)
	}
	got := map[rules.ID]string{}
	for _, f := range refusal {
		got[f.Rule] = f.Object.String() + " " + f.Path
	}
	for id, want := range map[rules.ID]string{
		rules.Required:     "TailnetGateway/broken spec.tailnetLBCIDR",
		rules.HostsAddress: "ConfigMap/tsunaro-system/tailnet-dns-hosts data.hosts:1",
	} {
		if got[id] != want {
			t.Errorf("%s at %q, want %q", id, got[id], want)
		}
	}
}

// TestTagIsNoBoolean: a reader of YAML 1.1 takes !!bool yes for true, one of 1.2
// for an error. It must not activate a gateway.
//
// REQ: LC-02
func TestTagIsNoBoolean(t *testing.T) {
	for _, written := range []string{`!!bool "yes"`, `!!bool no`, `!!bool ""`} {
		docs, findings := document.Parse("", []byte("apiVersion: tsunaro.io/v1alpha1\nkind: TailnetGateway\nmetadata: {name: lab-gw}\nspec: {suspend: "+written+"}\n"))
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		_, err := renderer.Render(docs)
		var refusal rules.Refusal
		if !errors.As(err, &refusal) || !slices.ContainsFunc(refusal, func(f rules.Finding) bool { return f.Rule == rules.BooleanType && f.Path == "spec.suspend" }) {
			t.Errorf("%s: %v", written, err)
		}
	}
}

// TestListInList: a gateway is not overlooked in a List within a List.
func TestListInList(t *testing.T) {
	docs, findings := document.Parse("", []byte(`
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: List
  items:
  - {apiVersion: tsunaro.io/v1alpha1, kind: TailnetGateway, metadata: {name: inner}}
- {apiVersion: tsunaro.io/v1alpha1, kind: Tailnet, metadata: {name: home}}
`))
	if len(findings) > 0 || len(docs) != 2 || docs[0].Name != "inner" || docs[1].Name != "home" {
		t.Error(docs, findings)
	}
}
