package verify

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/plan"
	"tsunaro.io/gateway/renderer/rules"
)

// Binding renders for the two UIDs, whatever the inputs were bound to, and is the
// same as rendering with a copy of the registry among the documents.
//
// REQ: RN-05, LC-16
func TestBind(t *testing.T) {
	const input = `
apiVersion: tsunaro.io/v1alpha1
kind: Tailnet
metadata: {name: home}
spec: {controlURL: "https://headscale.example"}
---
apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata: {name: lab-gw}
spec:
  suspend: SUSPEND
  tailnetRef: {name: home}
  tags: ["tag:gateway"]
  routes: {lan: [192.168.10.0/24]}
  tailnetLBCIDR: 10.99.0.0/24
  loadBalancerIP: 10.99.0.53
  dns: {zone: lab.example, serviceName: lab-dns, clusterIP: 10.96.0.53}
`
	registry := func(gateway, state string) string {
		return "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: tsunaro-bindings, namespace: tsunaro-system}\n" +
			"data: {lab_gw_gateway_uid: " + gateway + ", lab_gw_state_uid: " + state + "}\n"
	}
	active := strings.Replace(input, "SUSPEND", "false", 1)
	want := render(t, active+registry(gatewayUID, stateUID)).Gateways[0].Objects
	for why, text := range map[string]string{
		"unbound":         active,
		"bound otherwise": active + registry(stateUID, gatewayUID),
		"suspended":       strings.Replace(input, "SUSPEND", "true", 1),
	} {
		g := render(t, text).Gateways[0]
		before := g.Binding
		set := bound(t, g)
		if !reflect.DeepEqual(set[:], want) {
			t.Errorf("%s: other bytes than of a copy of the registry", why)
		}
		if g.Binding != before {
			t.Errorf("%s: the gateway was changed in place", why)
		}
	}
	g := render(t, active).Gateways[0]
	for _, uids := range [][2]string{
		{"", stateUID}, {gatewayUID, ""}, {gatewayUID, gatewayUID}, {strings.ToUpper(gatewayUID), stateUID},
		{api.Placeholder("lab-gw", api.BindingGatewayUID), stateUID}, {gatewayUID, "x"},
	} {
		if set, err := Bind(g, uids[0], uids[1]); !errors.Is(err, ErrUIDs) || set[0].JSON != nil {
			t.Errorf("%q: %v", uids, err)
		}
	}
}

// Each gateway is verified under its own format, and one that is not known here is
// named.
//
// REQ: RN-11
func TestFormats(t *testing.T) {
	g := gateways(t)[0]
	for format, known := range map[int]bool{1: true, 2: false, 7: false, -1: false} {
		g.Gateway.Format = format
		var unknown UnknownFormat
		if _, err := Bind(g, gatewayUID, stateUID); known != (err == nil) || !known && (!errors.As(err, &unknown) || unknown.Format != format) {
			t.Errorf("format %d: %v", format, err)
		}
		if err := KnownFormat(format); known != (err == nil) || !known && (!errors.As(err, &unknown) || unknown.Format != format) {
			t.Errorf("format %d: %v", format, err)
		}
	}
	if err := KnownFormat(0); err != nil {
		t.Errorf("no format is format 1: %v", err)
	}
	if got := (UnknownFormat{7}).Error(); got != "render format 7 is not known" {
		t.Error(got)
	}
	// Every format that may be written is one that the renderer accepts, and the
	// other way round.
	for format := range formats {
		if format < 1 || format > api.RenderFormat {
			t.Errorf("format %d is not in the API", format)
		}
	}
	if len(formats) != api.RenderFormat {
		t.Errorf("%d formats, the API has %d", len(formats), api.RenderFormat)
	}
	// Its own: with two formats, the one that the gateway has.
	defer func(was map[int]func(model.Inputs, plan.Plan) objects.Set) { formats = was }(formats)
	mark := objects.Set{{Object: rules.Object{Name: "format 2"}}}
	formats = map[int]func(model.Inputs, plan.Plan) objects.Set{1: objects.Render, 2: func(model.Inputs, plan.Plan) objects.Set { return mark }}
	for format, name := range map[int]string{1: "", 2: "format 2"} {
		g.Gateway.Format = format
		if set, err := Bind(g, gatewayUID, stateUID); err != nil || (set[0].Name == "format 2") != (name != "") {
			t.Errorf("format %d: %s %v", format, set[0].Name, err)
		}
	}
}
