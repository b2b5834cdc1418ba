package teardown

import (
	"cmp"
	"errors"
	"slices"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

const (
	deleting    = api.ReasonDeleting
	blocked     = api.ReasonTeardownBlocked
	unavailable = api.ReasonEvidenceUnavailable
)

// pass is a World while it is decided on.
type pass struct {
	World
	g         *v1alpha1.TailnetGateway
	t         *v1alpha1.Tailnet // nil if it is not known to be there
	namespace string            // the Tailnet's operator namespace, or else the minter's own
	names     [objects.Count]rules.Object

	// inventory is the completion receipt, or its stage; whole says whether there is
	// one.
	inventory receipt.Completion
	whole     bool
}

// newPass prepares a World; ok is false where there is no gateway.
func newPass(w World) (p *pass, ok bool) {
	g, ok := w.Gateway.Get()
	if !ok {
		return nil, false
	}
	p = &pass{World: w, g: g, namespace: w.Namespace}
	if t, ok := w.Tailnet.Get(); ok {
		p.t, p.namespace = t, cmp.Or(string(t.Spec.OperatorNamespace), api.DefaultOperatorNamespace)
	}
	p.names = observe.Names(g, p.namespace)
	if p.Attempt.GatewayUID != p.uid() {
		p.Attempt = observe.Attempt{}
	}
	if r, held := p.receipt(); held && p.sound(r) {
		p.inventory, p.whole = r.Receipt, true
	}
	return p, true
}

// receipt is what stands as the completion receipt: GW-fresh, or where that is
// not there a stage with our label (LC-17).
func (p *pass) receipt() (r observe.Completion, ok bool) {
	if r, ok = p.Fresh.Get(); ok {
		return r, true
	}
	if r, ok = p.Stage.Get(); ok && p.Fresh.Absent() && r.Of(p.uid()) {
		return r, true
	}
	return observe.Completion{}, false
}

// sound reports whether a receipt is one of the minter's about this gateway. Under
// which rule its digests are does not matter: objects go by their UID.
func (p *pass) sound(r observe.Completion) bool {
	return r.Of(p.uid()) && r.Err == nil && r.Immutable &&
		r.Receipt.Gateway.Name == p.g.Name && r.Receipt.Gateway.UID == p.uid()
}

// former reports whether a receipt of ours is of a format before the one that
// records what is deleted here. It is as none (LC-17).
func (p *pass) former(r observe.Completion) bool {
	return r.Of(p.uid()) && errors.Is(r.Err, receipt.ErrFormerFormat)
}

func (p *pass) uid() string     { return string(p.g.UID) }
func (p *pass) consents() bool  { return p.g.Spec.DeletionPolicy == v1alpha1.DeletionDelete }
func (p *pass) tailnet() string { return string(p.g.Spec.TailnetRef.Name) }

func finalized(finalizers []string) bool { return slices.Contains(finalizers, api.FinalizerTeardown) }

// custom and object name objects: without a namespace, and in the operator
// namespace.
func (p *pass) custom(kind, name string) rules.Object { return rules.Object{Kind: kind, Name: name} }
func (p *pass) object(kind, name string) rules.Object {
	return rules.Object{Kind: kind, Namespace: p.namespace, Name: name}
}

func (p *pass) self() rules.Object    { return p.custom(api.KindTailnetGateway, p.g.Name) }
func (p *pass) network() rules.Object { return p.custom(api.KindTailnet, p.tailnet()) }

// headscale, headscaleNode and headscaleKey stand for what is at Headscale.
func (p *pass) headscale() rules.Object { return p.custom("Headscale", p.tailnet()) }
func (p *pass) headscaleNode(id node.ID) rules.Object {
	return p.custom("HeadscaleNode", string(id))
}
func (p *pass) headscaleKey(id node.ID) rules.Object { return p.custom("HeadscaleKey", string(id)) }

func (p *pass) state() rules.Object { return p.object("Secret", api.StateSecretName(p.g.Name)) }
func (p *pass) auth() rules.Object  { return p.object("Secret", api.AuthSecretName(p.g.Name)) }
func (p *pass) authReceipt() rules.Object {
	return p.object("ConfigMap", api.AuthReceiptName(p.g.Name))
}
func (p *pass) fresh() rules.Object { return p.object("ConfigMap", api.FreshName(p.g.Name)) }
func (p *pass) stage() rules.Object { return p.object("ConfigMap", api.FreshNextName(p.g.Name)) }

// bindings is the registry that was read, which is the minter's own.
func (p *pass) bindings() rules.Object {
	return rules.Object{Kind: "ConfigMap", Namespace: p.Namespace, Name: api.BindingsName}
}

// say is a verdict without a step.
func say(reason string, step verdict.Action, o rules.Object) Verdict {
	values := map[string]string{"object": o.String()}
	if step != "" {
		values["step"] = string(step)
	}
	v := Verdict{Verdict: verdict.Verdict{Reason: reason, Values: values, Teardown: true}}
	if reason == blocked {
		v.lead(o)
	}
	return v
}

// lead says with what command the object can be removed that is in the way. Of what
// stands for the whole Headscale, of a key there and of a Tailnet there is none.
func (v *Verdict) lead(o rules.Object) {
	switch o.Kind {
	case "Headscale", "HeadscaleKey", api.KindTailnet:
	default:
		v.Values["command"] = verdict.Remove(o)
	}
}

func unread(o rules.Object) Verdict { return say(unavailable, "", o) }

// due asks for a step.
func due(s verdict.Step) Verdict {
	v := say(deleting, s.Do, s.Object)
	v.Step = s
	return v
}

// release removes the finalizer: everything that is left stays.
func (p *pass) release() Verdict {
	return due(verdict.Step{Do: RemoveFinalizer, Object: p.self(), UID: p.uid(), Revision: p.g.ResourceVersion})
}
