package livedns

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/rules"
	"tsunaro.io/gateway/renderer/zone"
)

// Decide returns the swap that is due, if any, and what DNSReady says. Every fact
// that a swap rests on is known (LC-06). Whether the gateway is Ready does not
// matter (DL-05).
func Decide(w World) Verdict {
	p, ok := newPass(w)
	if !ok {
		return Verdict{Reason: api.ReasonDNSNotCompared}
	}
	if verdict.Suspended(p.g) {
		return Verdict{Reason: api.ReasonSuspended}
	}
	for _, sound := range []func() (Verdict, bool){p.scope, p.completed, p.sameSources, p.target, p.sources} {
		if v, ok := sound(); !ok {
			return v
		}
	}
	live, _ := p.Live.Get()
	stored, v, ok := p.stored(live)
	if !ok {
		return v
	}
	return p.follow(live, stored)
}

// follow serves the present data at the next revision.
func (p *pass) follow(live *corev1.ConfigMap, stored zone.Revision) Verdict {
	render, _ := p.Render.Get()
	data := render.Gateway.Zone
	revision, err := data.Next(stored)
	if errors.Is(err, zone.ErrSerialExhausted) {
		return p.say(api.ReasonDNSSerialExhausted)
	}
	next := served(live, data.ConfigMap(revision.Serial), revision.Annotations())
	switch {
	case maps.Equal(next.Data, live.Data) && maps.Equal(next.Annotations, live.Annotations):
		v := Verdict{Reason: api.ReasonDNSInSync, Serial: revision.Serial, Names: names(data)}
		v.Values = map[string]string{"serial": strconv.FormatUint(uint64(revision.Serial), 10)}
		return v
	case p.Conflicts >= Attempts:
		return p.say(api.ReasonDNSUpdateConflict)
	}
	v := p.say(api.ReasonDNSNotCompared)
	v.Swap = next
	return v
}

// served is the live object with other zone data. Everything else stays as it was
// read (DL-04).
func served(live *corev1.ConfigMap, data, annotations map[string]string) *corev1.ConfigMap {
	next := live.DeepCopy()
	for _, key := range []string{api.DataCorefile, api.DataZone, api.DataHosts} {
		delete(next.Data, key)
	}
	maps.Copy(next.Data, data)
	maps.Copy(next.Annotations, annotations)
	return next
}

// names counts those that have addresses; the others are there for wildcards only.
func names(d zone.Data) int {
	n := 0
	for _, s := range slices.Concat(d.Primary, d.Extra) {
		if len(s.Addresses) > 0 {
			n++
		}
	}
	return n
}

// pass is a World while it is decided on.
type pass struct {
	World
	g         *v1alpha1.TailnetGateway
	namespace string
}

func newPass(w World) (p *pass, ok bool) {
	g, ok := w.Gateway.Get()
	return &pass{World: w, g: g, namespace: w.Namespace}, ok
}

func (p *pass) uid() string { return string(p.g.UID) }

func (p *pass) object(kind, name string) rules.Object {
	return rules.Object{Kind: kind, Namespace: p.namespace, Name: name}
}

// say is a verdict about GW-coredns without a swap.
func (p *pass) say(reason string) Verdict {
	object := p.object("ConfigMap", api.CoreDNSName(p.g.Name)).String()
	return Verdict{Reason: reason, Values: map[string]string{"object": object}}
}

// blocked leaves GW-coredns alone. path is where the problem shows, and may be
// empty.
func (p *pass) blocked(problem, path string) (v Verdict, ok bool) {
	v = p.say(api.ReasonDNSUpdateBlocked)
	v.Values["problem"] = problem
	if path != "" {
		v.Values["path"] = path
	}
	return v, false
}

func unread(object rules.Object) (v Verdict, ok bool) {
	return Verdict{Reason: api.ReasonEvidenceUnavailable, Values: map[string]string{"object": object.String()}}, false
}

// scope sees to it that the gateway is in service and this minter's. Nothing is
// claimed about the zone of another.
func (p *pass) scope() (v Verdict, ok bool) {
	t, there := p.Tailnet.Get()
	switch {
	case p.Tailnet.Unknown():
		return unread(rules.Object{Kind: api.KindTailnet, Name: string(p.g.Spec.TailnetRef.Name)})
	case !there, p.g.DeletionTimestamp != nil,
		cmp.Or(string(t.Spec.OperatorNamespace), api.DefaultOperatorNamespace) != p.Namespace:
		return Verdict{Reason: api.ReasonDNSNotCompared}, false
	}
	return Verdict{}, true
}

// sources sees to it that there is a rendering of the hosts source as it is. What
// observe renders without one is never served.
func (p *pass) sources() (v Verdict, ok bool) {
	hosts, key := p.hostsSource()
	render, known := p.Render.Get()
	switch {
	case p.Hosts.Unknown():
		return unread(hosts)
	case p.Hosts.Absent():
		return missing(hosts, key), false
	case !known:
		return unread(rules.Object{Kind: api.KindTailnetEgress, Name: p.namespace})
	}
	for _, f := range render.Refused {
		switch {
		case f.Rule == rules.HostsKey:
			return missing(f.Object, key), false
		case observe.HostsRule(f.Rule):
			values := map[string]string{"object": f.Object.String(), "rule": string(f.Rule), "path": f.Path, "must": f.Text()}
			return Verdict{Reason: api.ReasonHostsRefused, Values: values}, false
		}
	}
	if len(render.Refused) > 0 {
		f := render.Refused[0]
		return p.blocked(isRefused, cmp.Or(f.Path, "spec")+" of "+f.Object.String())
	}
	return Verdict{}, true
}

func (p *pass) hostsSource() (object rules.Object, key string) {
	t, _ := p.Tailnet.Get()
	ref := t.Spec.DNS.HostsConfigMapRef
	return p.object("ConfigMap", cmp.Or(string(ref.Name), api.DefaultHostsName)), cmp.Or(string(ref.Key), api.DefaultHostsKey)
}

func missing(object rules.Object, key string) Verdict {
	return Verdict{Reason: api.ReasonHostsMissing, Values: map[string]string{"object": object.String(), "key": key}}
}
