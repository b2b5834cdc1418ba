package verdict

import (
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
)

// foreignEntry reports whether the registry holds anything under this gateway's
// name that names another gateway's UID, whole or not (LC-21).
func (p *pass) foreignEntry() bool {
	uid, ok := p.data[api.BindingKey(p.g.Name, api.BindingGatewayUID)]
	return ok && uid != p.uid()
}

// removeForeignEntry comes before everything else: as long as the entry stands,
// an engine can make objects for a gateway that is no more.
func (p *pass) removeForeignEntry() Verdict {
	s := p.swap(RemoveForeignEntry, registry.Without(p.data, p.g.Name))
	if Suspended(p.g) {
		return Verdict{Reason: api.ReasonSuspended, Step: s}
	}
	return p.do(s)
}

// swap writes the registry: a compare-and-swap of the ConfigMap that was read, or
// its creation where there is none.
func (p *pass) swap(do Action, data map[string]string) Step {
	s := Step{Do: do, Object: p.bindings(), Data: data}
	if r, ok := p.Registry.Get(); ok {
		s.Revision = r.Revision
	}
	return s
}

// enter writes this gateway's entry.
func (p *pass) enter(do Action, e registry.Entry) Step {
	return p.swap(do, registry.With(p.data, p.g.Name, e))
}

// finalizer changes this product's finalizer of the gateway and no other.
func (p *pass) finalizer(do Action) Step {
	return Step{Do: do, Object: p.custom(api.KindTailnetGateway, p.g.Name), UID: p.uid(), Revision: p.g.ResourceVersion}
}
