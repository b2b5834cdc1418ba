package admit

import (
	"net/netip"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

// Defaults of render format 1. They never change in it (api.md).
const (
	DefaultTailscaleImage = "ghcr.io/tailscale/tailscale:v1.102.4"
	DefaultCoreDNSImage   = "registry.k8s.io/coredns/coredns:v1.14.6"
)

// Gateway reads a TailnetGateway. The model is complete only if it adds no
// finding that is not a warning.
func Gateway(d document.Document, findings *[]rules.Finding) model.Gateway {
	top := document.Root(d, findings)
	g := model.Gateway{Name: text(metadata(top).Get("name"), 0, rules.GatewayName, func(s string) bool {
		return model.DNS1035(s, api.MaxGatewayName)
	})}
	if g.Name == api.MinterName {
		metadata(top).Get("name").Report(rules.ReservedName, "")
	}
	spec, ok := top.Get("spec").Object()
	if !ok {
		return g
	}
	g.Suspended = boolOr(spec.Get("suspend"), true)
	g.Delete = textOr(spec.Get("deletionPolicy"), "Retain", 0, rules.DeletionPolicy, oneOf("Retain", "Delete")) == "Delete"
	g.Format = renderFormat(spec.Get("renderFormat"))
	g.Tailnet = reference(spec.Get("tailnetRef"), rules.ObjectName, isObjectName)
	g.Hostname = textOr(spec.Get("hostname"), g.Name, 0, rules.NodeName, isObjectName)
	g.Tags = tags(spec.Get("tags"))
	routes(spec.Get("routes"), &g)
	g.LBCIDR, _ = prefix(spec.Get("tailnetLBCIDR"))
	g.LoadBalancer = loadBalancer(spec.Get("loadBalancerIP"), g.LBCIDR)
	g.PoolLabels = poolLabels(spec.Get("poolLabels"))
	g.DNS = dns(spec.Get("dns"), g)
	g.Images = images(spec.Get("images"))
	g.Pod = pod(spec.Get("pod"))
	unsupported(spec, g.Name)
	spec.Close()
	return g
}

// HistoricalNode reports a status that names a node: such a gateway is not
// fresh, and its status has no place in Git (RN-08).
func HistoricalNode(d document.Document, findings *[]rules.Finding) {
	var ignored []rules.Finding
	status, ok := document.Root(d, &ignored).Get("status").Object()
	if !ok {
		return
	}
	for _, field := range []string{"nodeId", "ipv4"} {
		v := status.Get(field)
		if s, isText := v.Str(); given(v) && (!isText || s != "") {
			report := document.Root(d, findings)
			if st, ok := report.Get("status").Object(); ok {
				st.Get(field).Report(rules.HistoricalNode, "")
			}
		}
	}
}

// metadata returns an object's metadata, whose form document.New has checked,
// and marks the fields that every object has as known.
func metadata(top document.Object) document.Object {
	for _, field := range []string{"apiVersion", "kind", "spec", "status"} {
		top.Get(field)
	}
	m, _ := top.Get("metadata").Object()
	top.Close()
	return m
}

func isObjectName(s string) bool { return model.DNS1123(s, api.MaxLabel) }

// reference reads the name of a required {name: …} reference.
func reference(v document.Value, id rules.ID, ok func(string) bool) string {
	ref, isObject := v.Object()
	if !isObject {
		return ""
	}
	defer ref.Close()
	return text(ref.Get("name"), 0, id, ok)
}

func renderFormat(v document.Value) int {
	if !given(v) {
		return 1
	}
	n, ok := v.Int()
	if ok && n != 1 {
		v.Report(rules.RenderFormat, "")
	}
	return int(n)
}

func tags(v document.Value) []string {
	seen := unique[string]{}
	var tags []string
	for _, t := range list(v, 1, api.MaxTags) {
		if s := text(t, 0, rules.Tag, isTag); s != "" && seen.add(s, t, rules.DuplicateTag) {
			tags = append(tags, s)
		}
	}
	return tags
}

func isTag(s string) bool {
	const prefix = "tag:"
	if len(s) <= len(prefix) || len(s) > api.MaxLabel || s[:len(prefix)] != prefix {
		return false
	}
	name := s[len(prefix):]
	if name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return true
}

func routes(v document.Value, g *model.Gateway) {
	o, ok := v.Object()
	if !ok {
		return
	}
	defer o.Close()
	for _, r := range list(o.Get("lan"), 1, api.MaxLANRoutes) {
		if p, ok := prefix(r); ok {
			g.LAN = append(g.LAN, p)
		}
	}
	g.AdvertiseEgress = boolOr(o.Get("advertiseEgressTargets"), true)
}

func prefix(v document.Value) (netip.Prefix, bool) {
	s, ok := v.Str()
	if !ok {
		return netip.Prefix{}, false
	}
	if len(s) > api.MaxPrefix {
		v.Report(rules.TooLong, "")
		return netip.Prefix{}, false
	}
	p, hint, v6, ok := model.ParsePrefix(s)
	switch {
	case v6:
		v.Report(rules.PrefixIPv6, "")
	case !ok:
		v.Report(rules.Prefix, hint)
	case !model.Routable(p):
		v.Report(rules.PrefixRange, "")
		return netip.Prefix{}, false
	}
	return p, ok
}

// ipv4 reads a canonical unicast IPv4 address.
func ipv4(v document.Value) (netip.Addr, bool) {
	s, ok := v.Str()
	if !ok {
		return netip.Addr{}, false
	}
	a, ok := model.ParseIPv4(s)
	switch {
	case !ok:
		v.Report(rules.IPv4, "")
	case !model.Unicast(a):
		v.Report(rules.IPv4Unicast, "")
		return a, false
	}
	return a, ok
}

func loadBalancer(v document.Value, cidr netip.Prefix) netip.Addr {
	a, ok := ipv4(v)
	if ok && cidr.IsValid() && !cidr.Contains(a) {
		v.Report(rules.LBInCIDR, "")
	}
	return a
}

func images(v document.Value) model.Images {
	o, _ := object(v)
	defer o.Close()
	return model.Images{
		Tailscale: image(o.Get("tailscale"), DefaultTailscaleImage),
		CoreDNS:   image(o.Get("coredns"), DefaultCoreDNSImage),
	}
}

func image(v document.Value, def string) model.Image {
	return model.Image(textOr(v, def, api.MaxImage, rules.ImagePin, func(s string) bool {
		_, ok := model.ParseImage(s)
		return ok
	}))
}
