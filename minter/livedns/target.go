package livedns

import (
	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/digest"
	"tsunaro.io/gateway/renderer/rules"
	"tsunaro.io/gateway/renderer/zone"
)

// completed sees to it that the gateway has a completion receipt of its own: until
// then the zone is the engine's (DL-09).
func (p *pass) completed() (v Verdict, ok bool) {
	fresh, there := p.Fresh.Get()
	c := fresh.Receipt
	switch {
	case p.Fresh.Unknown():
		return unread(p.object("ConfigMap", api.FreshName(p.g.Name)))
	case !there:
		return p.blocked(isIncomplete, "")
	case !fresh.Of(p.uid()), fresh.Err != nil, c.Rule != receipt.CurrentRule,
		fresh.Deleting, !fresh.Immutable, c.Gateway.Name != p.g.Name, c.Gateway.UID != p.uid():
		return p.blocked(isUnproven, "")
	}
	return Verdict{}, true
}

// zoneIdentity are the fields of class Identity that a zone is made of. Others may
// have changed: that is Ready's business (DL-05).
var (
	gatewayIdentity = []string{
		"spec.renderFormat", "spec.tailnetRef.name", "spec.loadBalancerIP", "spec.dns.zone",
		"spec.dns.extraZones[].zone", "spec.dns.extraZones[].upstreams",
	}
	tailnetIdentity = []string{"spec.dns.hostsConfigMapRef.name", "spec.dns.hostsConfigMapRef.key"}
)

// sameSources sees to it that the zone is still to be the one that the receipt is
// about: its name, its address, its extra zones, its hosts source.
func (p *pass) sameSources() (v Verdict, ok bool) {
	fresh, _ := p.Fresh.Get()
	c := fresh.Receipt
	t, _ := p.Tailnet.Get()
	self := rules.Object{Kind: api.KindTailnetGateway, Name: p.g.Name}
	now := receipt.GatewayIdentity(p.g)
	for _, path := range gatewayIdentity {
		if now[path] != c.Gateway.Identity[path] {
			return p.blocked(isAnother, path+" of "+self.String())
		}
	}
	network := rules.Object{Kind: api.KindTailnet, Name: t.Name}
	if c.Tailnet.UID != string(t.UID) {
		return p.blocked(isAnother, "metadata.uid of "+network.String())
	}
	now = receipt.TailnetIdentity(t)
	for _, path := range tailnetIdentity {
		if now[path] != c.Tailnet.Identity[path] {
			return p.blocked(isAnother, path+" of "+network.String())
		}
	}
	return Verdict{}, true
}

// target sees to it that GW-coredns is the object of the receipt, and that nothing
// but the zone of it has changed (DL-04, DL-06).
func (p *pass) target() (v Verdict, ok bool) {
	live, there := p.Live.Get()
	fresh, _ := p.Fresh.Get()
	recorded, listed := fresh.Receipt.Object("ConfigMap", api.CoreDNSName(p.g.Name))
	switch {
	case p.Live.Unknown():
		return unread(p.object("ConfigMap", api.CoreDNSName(p.g.Name)))
	case !there:
		return p.blocked(isMissing, "")
	case !listed || string(live.UID) != recorded.UID:
		return p.blocked(isReplaced, "metadata.uid")
	case live.DeletionTimestamp != nil:
		return p.blocked(isDeleting, "metadata.deletionTimestamp")
	case live.Immutable != nil && *live.Immutable:
		return p.blocked(isImmutable, "immutable")
	case verify.Retained(recorded, live) != verify.Same:
		return p.blocked(hasDrifted, p.drift(live, fresh.Receipt))
	}
	return Verdict{}, true
}

// drift is the first pinned field in which the live object is not as rendered; the
// data as a whole where no rendering tells.
func (p *pass) drift(live *corev1.ConfigMap, c receipt.Completion) string {
	render, _ := p.Render.Get()
	if render.Gateway == nil {
		return "data"
	}
	set, err := verify.Bind(*render.Gateway, p.uid(), c.State.UID)
	if err != nil {
		return "data"
	}
	for _, o := range set {
		if o.Kind != "ConfigMap" {
			continue
		}
		for _, d := range verify.Compare(o, live) {
			if d.Class != digest.Live {
				return d.Path
			}
		}
	}
	return "data"
}

// stored is the live revision, if it belongs to what is served, and is not behind
// one that was live before: a serial never goes back, and never begins anew (DL-01,
// DL-03, DL-09).
func (p *pass) stored(live *corev1.ConfigMap) (r zone.Revision, v Verdict, ok bool) {
	const path = "metadata.annotations[" + api.AnnotationDNSSerial + "]"
	r, err := zone.ReadRevision(live.Annotations, live.Data)
	if err != nil {
		v, ok = p.blocked(isInconsistent, path)
		return r, v, ok
	}
	if seen := p.g.Status.DNS; seen != nil && seen.Serial > int64(r.Serial) {
		v, ok = p.blocked(wentBack, path)
		return r, v, ok
	}
	return r, Verdict{}, true
}
