package view

import (
	"time"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
)

// grace is how much longer than its lease a minter may seem to be gone: the clocks
// of the two machines are not one.
const grace = time.Minute

// running tells whether a minter works: its Deployment's Pods are available, or its
// lease is renewed.
func running(r Reading) Known {
	if d, ok := r.Minter.Get(); ok {
		if d.Status.AvailableReplicas > 0 {
			return Yes
		}
		return No
	}
	if l, ok := r.Lease.Get(); ok && l.Spec.RenewTime != nil && l.Spec.LeaseDurationSeconds != nil {
		ends := l.Spec.RenewTime.Add(time.Duration(*l.Spec.LeaseDurationSeconds)*time.Second + grace)
		if r.Now.Before(ends) {
			return Yes
		}
		return No
	}
	return Maybe
}

// unread are the objects that nothing is known of, but for those whose absence from
// this list changes nothing that is said.
func unread(r Reading) []Unread {
	out := []Unread{}
	say := func(object string, why observe.Class, unknown bool) {
		if unknown {
			out = append(out, Unread{object, string(why)})
		}
	}
	object := func(kind, name string) string { return kind + "/" + r.Namespace + "/" + name }
	say(api.KindTailnet+"/"+string(r.Gateway.Spec.TailnetRef.Name), r.Tailnet.Class(), r.Tailnet.Unknown())
	if !r.Tailnet.Known() {
		return out // nobody knows where the rest is
	}
	t, _ := r.Tailnet.Get()
	say(object("ConfigMap", HostsName(t)), r.Hosts.Class(), r.Hosts.Unknown())
	say(api.KindTailnetEgress+"/"+r.Namespace, r.Egresses.Class(), r.Egresses.Unknown())
	say(object("ConfigMap", api.BindingsName), r.Registry.Class(), r.Registry.Unknown())
	say(object("ConfigMap", api.FreshName(r.Gateway.Name)), r.Fresh.Class(), r.Fresh.Unknown())
	for i, name := range observe.Names(r.Gateway, r.Namespace) {
		say(name.String(), r.Nine[i].Class(), r.Nine[i].Unknown())
	}
	say(object("Pod", r.Gateway.Name+"-0"), r.Pod.Class(), r.Pod.Unknown())
	return out
}
