package admit

import (
	"cmp"
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

func pod(v document.Value) model.Pod {
	o, ok := object(v)
	if !ok {
		return model.Pod{}
	}
	defer o.Close()
	p := model.Pod{
		Sysctls:      sysctls(o.Get("sysctls")),
		Tolerations:  tolerations(o.Get("tolerations")),
		NodeSelector: plain(labels(o.Get("nodeSelector"), api.MaxNodeSelector)),
	}
	if r, ok := object(o.Get("resources")); ok {
		p.Tailscale = resources(r.Get("tailscale"))
		p.CoreDNS = resources(r.Get("coredns"))
		r.Close()
	}
	return p
}

func resources(v document.Value) model.Resources {
	o, ok := object(v)
	if !ok {
		return model.Resources{}
	}
	defer o.Close()
	requests, limits := quantities(o.Get("requests")), quantities(o.Get("limits"))
	for _, r := range requests {
		for _, l := range limits {
			if r.Key == l.Key && r.Value != "" && l.Value != "" && model.MoreThan(r.Value, l.Value) {
				r.at.Report(rules.RequestOverLimit, "")
			}
		}
	}
	return model.Resources{Requests: served(requests), Limits: served(limits)}
}

// served rounds quantities as API servers do. They are compared before.
func served(quantities []label) []model.Pair {
	pairs := plain(quantities)
	for i, p := range pairs {
		if p.Value != "" { // "" is one that was refused
			pairs[i].Value = model.Served(p.Value)
		}
	}
	return pairs
}

var isResource = oneOf("cpu", "ephemeral-storage", "memory")

func quantities(v document.Value) []label {
	o, ok := object(v)
	if !ok {
		return nil
	}
	var out []label
	for _, f := range o.Fields() {
		if !isResource(f.Key) {
			f.Report(rules.ResourceName, "")
			continue
		}
		s, ok := f.StrOrInt()
		if !ok {
			continue
		}
		q, ok := model.ParseQuantity(s)
		if !ok {
			f.Report(rules.Quantity, "")
		}
		out = append(out, label{model.Pair{Key: f.Key, Value: q}, f.Value})
	}
	slices.SortFunc(out, func(a, b label) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

func sysctls(v document.Value) []model.Pair {
	seen := unique[string]{}
	var out []model.Pair
	for _, s := range list(v, 0, api.MaxSysctls) {
		o, ok := s.Object()
		if !ok {
			continue
		}
		at := o.Get("name")
		name := text(at, 0, rules.Sysctl, model.SysctlName)
		value := text(o.Get("value"), api.MaxSysctlValue, rules.SysctlValue, func(s string) bool { return !strings.Contains(s, "$") })
		o.Close()
		if name != "" && seen.add(name, at, rules.DuplicateSysctl) {
			out = append(out, model.Pair{Key: name, Value: value})
		}
	}
	return out
}

var (
	isOperator = oneOf("", "Exists", "Equal")
	isEffect   = oneOf("", "NoSchedule", "PreferNoSchedule", "NoExecute")
)

func tolerations(v document.Value) []model.Toleration {
	var out []model.Toleration
	for _, e := range list(v, 0, api.MaxTolerations) {
		o, ok := e.Object()
		if !ok {
			continue
		}
		t := model.Toleration{
			Key: optionalText(o, "key"), Operator: optionalText(o, "operator"),
			Value: optionalText(o, "value"), Effect: optionalText(o, "effect"),
		}
		if s := o.Get("tolerationSeconds"); given(s) {
			if n, ok := s.Int(); ok {
				t.Seconds = &n
			}
		}
		o.Close()
		if !validToleration(t) {
			e.Report(rules.Toleration, "")
		}
		out = append(out, t)
	}
	return out
}

func optionalText(o document.Object, key string) string {
	v := o.Get(key)
	if !given(v) {
		return ""
	}
	s, _ := v.Str()
	return s
}

// validToleration is what an API server asks of a toleration.
func validToleration(t model.Toleration) bool {
	exists := t.Operator == "Exists"
	return isOperator(t.Operator) && isEffect(t.Effect) &&
		(t.Key == "" || model.LabelKey(t.Key)) &&
		(t.Key != "" || exists) &&
		(!exists || t.Value == "") && model.LabelValue(t.Value) &&
		(t.Seconds == nil || t.Effect == "NoExecute")
}
