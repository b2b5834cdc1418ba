package rewrite

import (
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/rules"
)

func (p *pass) custom(kind, name string) rules.Object { return rules.Object{Kind: kind, Name: name} }
func (p *pass) object(kind, name string) rules.Object {
	return rules.Object{Kind: kind, Namespace: p.Namespace, Name: name}
}

func (p *pass) state() rules.Object { return p.object("Secret", api.StateSecretName(p.g.Name)) }
func (p *pass) auth() rules.Object  { return p.object("Secret", api.AuthSecretName(p.g.Name)) }
func (p *pass) authReceipt() rules.Object {
	return p.object("ConfigMap", api.AuthReceiptName(p.g.Name))
}
func (p *pass) fresh() rules.Object { return p.object("ConfigMap", api.FreshName(p.g.Name)) }
func (p *pass) next() rules.Object  { return p.object("ConfigMap", api.FreshNextName(p.g.Name)) }

func (p *pass) unavailable(o rules.Object) verdict.Verdict {
	return verdict.Verdict{Reason: api.ReasonEvidenceUnavailable, Values: map[string]string{"object": o.String()}}
}

// What is wrong with an object, for people: each is said after its name (ST-03).
const (
	isForeign   = "does not belong to this gateway"
	isOther     = "is not the receipt that this gateway's would become"
	isIllegible = "is not readable as a receipt of this minter"
	isMissing   = "is not there, or not the one that was recorded"
	hasDrifted  = "was changed since it was verified: restore it from Git"
	isEdited    = "was edited after it was made"
	isDeleting  = "is being deleted"
	namesOther  = "names another state for this gateway"
	isUnwritten = "could not be written, and is tried again"
)

// blocked is the verdict where an object is not what a receipt records. path is
// where it shows, and may be empty.
func (p *pass) blocked(o rules.Object, problem, path string) verdict.Verdict {
	v := verdict.Verdict{Reason: api.ReasonFreshBlocked, Values: map[string]string{"object": o.String(), "problem": problem}}
	if path != "" {
		v.Values["path"] = path
	}
	return v
}

// inTheWay is blocked where removing the object helps: the message says how.
func (p *pass) inTheWay(o rules.Object, problem, path string) verdict.Verdict {
	v := p.blocked(o, problem, path)
	v.Values["command"] = verdict.Remove(o)
	return v
}

// lost is blocked where nothing brings back what the gateway was proven with: the
// message says that only a new gateway helps.
func (p *pass) lost(o rules.Object, problem, path string) verdict.Verdict {
	v := p.blocked(o, problem, path)
	v.Values["gateway"] = p.custom(api.KindTailnetGateway, p.g.Name).String()
	return v
}

// wait is the verdict while something stands before a step that will pass.
func (p *pass) wait(step verdict.Action, o rules.Object, problem string) verdict.Verdict {
	return verdict.Verdict{Reason: api.ReasonProvisioning, Values: map[string]string{"step": string(step), "object": o.String(), "problem": problem}}
}

func (p *pass) do(s verdict.Step) verdict.Verdict {
	v := p.wait(s.Do, s.Object, isUnwritten)
	v.Step = s
	return v
}

// create asks for a receipt's ConfigMap, with the labels of every record (LC-18).
func (p *pass) create(do verdict.Action, o rules.Object, c receipt.Completion) verdict.Verdict {
	return p.do(verdict.Step{
		Do: do, Object: o, Immutable: true,
		Labels: map[string]string{api.LabelGatewayUID: p.uid(), api.LabelStateUID: c.State.UID},
		Data:   map[string]string{api.DataReceipt: string(c.Encode())},
	})
}

// delete asks for the deletion of exactly what was read.
func (p *pass) delete(do verdict.Action, name rules.Object, o observe.Object) verdict.Verdict {
	return p.do(verdict.Step{Do: do, Object: name, UID: o.UID, Revision: o.Revision})
}
