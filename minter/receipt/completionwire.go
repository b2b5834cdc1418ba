package receipt

import (
	"cmp"
	"encoding/json"
	"slices"

	"tsunaro.io/gateway/renderer/api"
)

type completionWire struct {
	Format       int       `json:"format"`
	Rule         int       `json:"digestRule"`
	RenderFormat int       `json:"renderFormat"`
	Gateway      Subject   `json:"gateway"`
	Tailnet      Subject   `json:"tailnet"`
	State        Reference `json:"state"`
	Auth         Reference `json:"authReceipt"`
	Key          key       `json:"key"`
	Objects      []Object  `json:"objects"`
}

// kinds of the nine, sorted.
var kinds = []string{"ConfigMap", "PodDisruptionBudget", "Role", "RoleBinding",
	"Service", "Service", "Service", "ServiceAccount", "StatefulSet"}

func (c Completion) wire() completionWire {
	objects := slices.Clone(c.Objects)
	slices.SortFunc(objects, byKindAndName)
	return completionWire{Format, c.Rule, c.RenderFormat, c.Gateway, c.Tailnet, c.State, c.Auth,
		newKey(c.KeyID, c.Expires), objects}
}

func byKindAndName(a, b Object) int {
	return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
}

// recognised returns an error for a receipt whose schema is not the one known
// here, going by its two numbers alone.
func recognised(data []byte) error {
	var number struct {
		Format int `json:"format"`
		Rule   int `json:"digestRule"`
	}
	if json.Unmarshal(data, &number) != nil {
		return ErrCompletion
	}
	switch {
	case number.Format == 1 || number.Format == 2:
		return ErrFormerFormat
	case number.Format > Format:
		return ErrUnknownFormat
	case number.Format == Format && number.Rule > CurrentRule:
		return ErrUnknownRule
	}
	return nil
}

func (w completionWire) completion() (Completion, bool) {
	id, expires, ok := w.Key.parse()
	c := Completion{w.Rule, w.RenderFormat, w.Gateway, w.Tailnet, w.State, w.Auth, id, expires, w.Objects}
	ok = ok && w.Format == Format && w.Rule >= RuleV010 && w.RenderFormat > 0 &&
		w.Gateway.valid(api.GatewayFields) && w.Tailnet.valid(api.TailnetFields) &&
		named(w.State.Name, w.State.UID) && named(w.Auth.Name, w.Auth.UID) &&
		nine(w.Objects) && c.distinct()
	return c, ok
}

func (s Subject) valid(fields []api.Field) bool {
	return named(s.Name, s.UID) && s.Identity.valid(fields)
}

// nine reports whether the objects are those of a gateway, in order.
func nine(objects []Object) bool {
	if len(objects) != len(kinds) {
		return false
	}
	for i, o := range objects {
		if o.Kind != kinds[i] || !named(o.Name, o.UID) || !isHash(o.Digest) ||
			i > 0 && byKindAndName(objects[i-1], o) >= 0 {
			return false
		}
	}
	return true
}

// distinct reports whether no UID stands for two objects.
func (c Completion) distinct() bool {
	uids := []string{c.Gateway.UID, c.Tailnet.UID, c.State.UID, c.Auth.UID}
	for _, o := range c.Objects {
		uids = append(uids, o.UID)
	}
	slices.Sort(uids)
	return len(slices.Compact(uids)) == 4+len(c.Objects)
}
