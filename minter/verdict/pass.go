package verdict

import (
	"slices"
	"strings"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// pass is a World while it is decided on, with what every decision needs of it.
type pass struct {
	observe.World
	g         *v1alpha1.TailnetGateway
	t         *v1alpha1.Tailnet // nil if it is not known to be there
	namespace string            // the Tailnet's operator namespace, or else the minter's own
	names     [objects.Count]rules.Object

	data   map[string]string // of the registry
	entry  registry.Entry
	listed bool  // the registry holds an entry
	broken error // the registry holds something that is no entry

	seen Evidence
}

func newPass(w observe.World, g *v1alpha1.TailnetGateway) *pass {
	p := &pass{World: w, g: g, namespace: w.Namespace}
	if t, ok := w.Tailnet.Get(); ok {
		p.t, p.namespace = t, api.DefaultOperatorNamespace
		if ns := string(t.Spec.OperatorNamespace); ns != "" {
			p.namespace = ns
		}
	}
	p.names = observe.Names(g, p.namespace)
	if r, ok := w.Registry.Get(); ok {
		p.data = r.Data
		p.entry, p.listed, p.broken = registry.Read(r.Data, g.Name)
	}
	if p.Attempt.GatewayUID != p.uid() {
		p.Attempt = observe.Attempt{}
	}
	return p
}

func (p *pass) uid() string       { return string(p.g.UID) }
func (p *pass) terminating() bool { return p.g.DeletionTimestamp != nil }
func (p *pass) consents() bool    { return p.g.Spec.DeletionPolicy == v1alpha1.DeletionDelete }
func (p *pass) finalized() bool   { return slices.Contains(p.g.Finalizers, api.FinalizerTeardown) }
func (p *pass) tailnet() string   { return string(p.g.Spec.TailnetRef.Name) }
func (p *pass) pod() string       { return p.g.Name + "-0" }

// custom and object name objects: without a namespace, and in the operator
// namespace.
func (p *pass) custom(kind, name string) rules.Object { return rules.Object{Kind: kind, Name: name} }
func (p *pass) object(kind, name string) rules.Object {
	return rules.Object{Kind: kind, Namespace: p.namespace, Name: name}
}

func (p *pass) state() rules.Object { return p.object("Secret", api.StateSecretName(p.g.Name)) }
func (p *pass) auth() rules.Object  { return p.object("Secret", api.AuthSecretName(p.g.Name)) }
func (p *pass) authReceipt() rules.Object {
	return p.object("ConfigMap", api.AuthReceiptName(p.g.Name))
}
func (p *pass) fresh() rules.Object { return p.object("ConfigMap", api.FreshName(p.g.Name)) }

// bindings is the registry that was read, which is the minter's own.
func (p *pass) bindings() rules.Object {
	return rules.Object{Kind: "ConfigMap", Namespace: p.Namespace, Name: api.BindingsName}
}

// headscale stands for what Headscale says, where that could not be had.
func (p *pass) headscale() string { return "Headscale/" + p.tailnet() }

type values = map[string]string

// ready is a verdict without a step.
func (p *pass) ready(reason string, v values) Verdict { return Verdict{Reason: reason, Values: v} }

// unavailable is the verdict where something is not known that it would rest on.
func (p *pass) unavailable(object string) Verdict {
	return p.ready(api.ReasonEvidenceUnavailable, values{"object": object})
}

// wait is the verdict while an object is awaited before a step.
func (p *pass) wait(reason string, step Action, object rules.Object) Verdict {
	return p.ready(reason, values{"step": string(step), "object": object.String()})
}

// awaits is the verdict of a bootstrap while something is wrong with an object that
// will pass.
func (p *pass) awaits(step Action, object rules.Object, problem string) Verdict {
	v := p.wait(api.ReasonProvisioning, step, object)
	v.Values["problem"] = problem
	return v
}

// do asks for a step of the bootstrap. What the verdict says is true where the step
// does not succeed.
func (p *pass) do(s Step) Verdict {
	problem := isUnwritten
	if s.Do == Mint {
		problem = isKeyless
	}
	v := p.awaits(s.Do, s.Object, problem)
	v.Step = s
	return v
}

// blocked is the verdict where an object is not provably ours. path is where it
// shows, and may be empty.
func (p *pass) blocked(object rules.Object, problem, path string) Verdict {
	v := values{"object": object.String(), "problem": problem}
	if path != "" {
		v["path"] = path
	}
	return p.ready(api.ReasonFreshBlocked, v)
}

// changed is blocked where it helps to take a change back.
func (p *pass) changed(object rules.Object, problem, path, remedy string) Verdict {
	v := p.blocked(object, problem, path)
	v.Values["remedy"] = remedy
	return v
}

// inTheWay is blocked where removing the object helps: the message says how.
func (p *pass) inTheWay(object rules.Object, problem, path string) Verdict {
	v := p.blocked(object, problem, path)
	v.Values["command"] = Remove(object)
	return v
}

// lost is blocked where nothing brings back what the gateway was proven with: the
// message says that only a new gateway helps.
func (p *pass) lost(object rules.Object, problem, path string) Verdict {
	v := p.blocked(object, problem, path)
	v.Values["gateway"] = p.custom(api.KindTailnetGateway, p.g.Name).String()
	return v
}

// leftover is blocked by one of the nine of an earlier gateway of this name: the
// message says how to remove all that is left of it.
func (p *pass) leftover(object rules.Object) Verdict {
	v := p.blocked(object, isRetained, "")
	v.Values["sweep"] = Sweep(p.g.Name, p.namespace)
	return v
}

// headscaleNode is the kind that stands for a node at Headscale.
const headscaleNode = "HeadscaleNode"

// Sweep is the command that deletes whatever there is of the nine of a gateway.
func Sweep(gateway, namespace string) string {
	return "kubectl delete statefulsets,services,configmaps,poddisruptionbudgets,rolebindings,roles,serviceaccounts" +
		" --selector " + api.LabelGateway + "=" + gateway + " --namespace " + namespace
}

// Remove is the command that deletes an object of the cluster, or a node at Headscale.
func Remove(o rules.Object) string {
	if o.Kind == headscaleNode {
		return "headscale nodes delete --force --identifier " + o.Name
	}
	command := "kubectl delete " + strings.ToLower(o.Kind) + " " + o.Name
	if o.Namespace != "" {
		command += " --namespace " + o.Namespace
	}
	return command
}
