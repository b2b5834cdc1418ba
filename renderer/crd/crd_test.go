package crd_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/crd"
)

// The table of field classes covers exactly the leaves of the generated
// schemas, and each leaf's description names the class.
//
// REQ: UP-01
func TestFieldClassesCoverTheSchema(t *testing.T) {
	for _, kind := range []struct {
		name   string
		crd    []byte
		fields []api.Field
	}{
		{api.KindTailnet, crd.Tailnets, api.TailnetFields},
		{api.KindTailnetGateway, crd.TailnetGateways, api.GatewayFields},
	} {
		descriptions := map[string]string{}
		leaves("spec", spec(t, kind.crd), descriptions)
		if len(descriptions) < 10 {
			t.Fatalf("%s: only %d leaves", kind.name, len(descriptions))
		}
		for _, f := range kind.fields {
			description, ok := descriptions[f.Path]
			if !ok {
				t.Errorf("%s: %s is no leaf of the schema, or listed twice", kind.name, f.Path)
				continue
			}
			delete(descriptions, f.Path)
			if !strings.HasSuffix(strings.Join(strings.Fields(description), " "), "Class: "+string(f.Class)+".") {
				t.Errorf("%s: the description of %s does not end with its class %s: %q", kind.name, f.Path, f.Class, description)
			}
		}
		for _, path := range slices.Sorted(maps.Keys(descriptions)) {
			t.Errorf("%s: %s has no class", kind.name, path)
		}
	}
}

type schema struct {
	Description string             `yaml:"description"`
	Properties  map[string]*schema `yaml:"properties"`
	Items       *schema            `yaml:"items"`

	MaxItems      int `yaml:"maxItems"`
	MaxLength     int `yaml:"maxLength"`
	MaxProperties int `yaml:"maxProperties"`
}

func spec(t *testing.T, b []byte) *schema {
	t.Helper()
	var definition struct {
		Spec struct {
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema schema `yaml:"openAPIV3Schema"`
				} `yaml:"schema"`
			} `yaml:"versions"`
		} `yaml:"spec"`
	}
	if err := yaml.Unmarshal(b, &definition); err != nil {
		t.Fatal(err)
	}
	return definition.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
}

// leaves collects the descriptions of everything that has no named parts.
func leaves(path string, s *schema, out map[string]string) {
	switch {
	case len(s.Properties) > 0:
		for name, p := range s.Properties {
			leaves(path+"."+name, p, out)
		}
	case s.Items != nil && len(s.Items.Properties) > 0:
		leaves(path+"[]", s.Items, out)
	default:
		out[path] = s.Description
	}
}

// The bounds of the schemas are the constants that the renderer goes by.
//
// REQ: CF-07, DN-08
func TestBoundsAreTheRenderers(t *testing.T) {
	gateway, tailnet, egress := spec(t, crd.TailnetGateways), spec(t, crd.Tailnets), spec(t, crd.TailnetEgresses)
	for _, want := range []struct {
		root  *schema
		path  string
		bound int
	}{
		{gateway, "tags", api.MaxTags},
		{gateway, "tags[]", api.MaxLabel},
		{gateway, "routes.lan", api.MaxLANRoutes},
		{gateway, "routes.lan[]", api.MaxPrefix},
		{gateway, "tailnetLBCIDR", api.MaxPrefix},
		{gateway, "loadBalancerIP", api.MaxAddress},
		{gateway, "hostname", api.MaxLabel},
		{gateway, "poolLabels", api.MaxPoolLabels},
		{gateway, "dns.zone", api.MaxZone},
		{gateway, "dns.serviceName", api.MaxLabel},
		{gateway, "dns.clusterIP", api.MaxAddress},
		{gateway, "dns.records", api.MaxRecords},
		{gateway, "dns.records[].name", api.MaxRecordName},
		{gateway, "dns.records[].addresses", api.MaxRecordAddresses},
		{gateway, "dns.records[].addresses[]", api.MaxAddress},
		{gateway, "dns.extraZones", api.MaxExtraZones},
		{gateway, "dns.extraZones[].zone", api.MaxZone},
		{gateway, "dns.extraZones[].upstreams", api.MaxUpstreams},
		{gateway, "images.tailscale", api.MaxImage},
		{gateway, "images.coredns", api.MaxImage},
		{gateway, "pod.sysctls", api.MaxSysctls},
		{gateway, "pod.sysctls[].name", api.MaxSubdomain},
		{gateway, "pod.tolerations", api.MaxTolerations},
		{gateway, "pod.nodeSelector", api.MaxNodeSelector},
		{gateway, "forwards", api.MaxForwards},
		{gateway, "adoption.objects", api.MaxAdoptionObjects},
		{tailnet, "operatorNamespace", api.MaxLabel},
		{tailnet, "controlURL", api.MaxURL},
		{tailnet, "apiURL", api.MaxURL},
		{tailnet, "caBundleConfigMapRef.name", api.MaxSubdomain},
		{tailnet, "caBundleConfigMapRef.key", api.MaxSubdomain},
		{egress, "targets", api.MaxEgressTargets},
		{egress, "targets[]", api.MaxZone},
	} {
		s := at(want.root, want.path)
		if s == nil {
			t.Errorf("%s: no such field", want.path)
			continue
		}
		if got := s.MaxItems + s.MaxLength + s.MaxProperties; got != want.bound {
			t.Errorf("%s: bound %d, want %d", want.path, got, want.bound)
		}
	}
}

// at returns the schema at a path below root, or nil.
func at(root *schema, path string) *schema {
	for step := range strings.SplitSeq(path, ".") {
		name, items := strings.CutSuffix(step, "[]")
		root = root.Properties[name]
		if root != nil && items {
			root = root.Items
		}
		if root == nil {
			return nil
		}
	}
	return root
}
