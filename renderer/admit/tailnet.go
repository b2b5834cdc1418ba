package admit

import (
	"net/netip"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

// Tailnet reads a Tailnet. The model is complete only if it adds no finding that
// is not a warning.
func Tailnet(d document.Document, findings *[]rules.Finding) model.Tailnet {
	top := document.Root(d, findings)
	t := model.Tailnet{Name: text(metadata(top).Get("name"), 0, rules.ObjectName, isObjectName)}
	spec, ok := top.Get("spec").Object()
	if !ok {
		return t
	}
	defer spec.Close()
	t.OperatorNamespace = textOr(spec.Get("operatorNamespace"), api.DefaultOperatorNamespace, 0,
		rules.OperatorNamespace, isObjectName)
	allowHTTP := boolOr(spec.Get("allowHTTP"), false)
	t.ControlURL = url(spec.Get("controlURL"), allowHTTP)
	if v := spec.Get("apiURL"); given(v) {
		url(v, allowHTTP)
	}
	if v := spec.Get("caBundleConfigMapRef"); given(v) {
		ref := keyRef(v, "", api.DefaultCAKey)
		t.CABundle = &ref
	}
	bootstrap := keyRef(spec.Get("bootstrapSecretRef"), api.DefaultBootstrapName, api.DefaultBootstrapKey)
	hosts := document.Value{}
	if o, ok := object(spec.Get("dns")); ok {
		hosts = o.Get("hostsConfigMapRef")
		o.Close()
	}
	t.Hosts = keyRef(hosts, api.DefaultHostsName, api.DefaultHostsKey)
	t.References = map[string][]string{"ConfigMap": {policy(spec.Get("policy"))}, "Secret": {bootstrap.Name}}
	if t.CABundle != nil {
		t.References["ConfigMap"] = append(t.References["ConfigMap"], t.CABundle.Name)
	}
	return t
}

func url(v document.Value, allowHTTP bool) string {
	s := text(v, api.MaxURL, rules.URL, func(s string) bool {
		_, ok := model.ParseURL(s)
		return ok
	})
	if u, ok := model.ParseURL(s); ok && !u.HTTPS && !u.Loopback && !allowHTTP {
		v.Report(rules.SecureURL, "")
	}
	return s
}

// keyRef reads a reference to a data key; without a default name it is required.
func keyRef(v document.Value, name, key string) model.KeyRef {
	if !given(v) && name != "" {
		return model.KeyRef{Name: name, Key: key}
	}
	o, ok := v.Object()
	if !ok {
		return model.KeyRef{}
	}
	defer o.Close()
	return model.KeyRef{
		Name: refName(o.Get("name"), name),
		Key:  textOr(o.Get("key"), key, 0, rules.DataKey, model.DataKey),
	}
}

func refName(v document.Value, def string) string {
	if def == "" {
		return text(v, 0, rules.ReferenceName, model.Subdomain)
	}
	return textOr(v, def, 0, rules.ReferenceName, model.Subdomain)
}

// policy returns the name of the base policy's ConfigMap, or "".
func policy(v document.Value) string {
	o, ok := object(v)
	if !ok {
		return ""
	}
	defer o.Close()
	textOr(o.Get("mode"), "DryRun", 0, rules.PolicyMode, oneOf("DryRun", "Apply"))
	if ref := o.Get("baseConfigMapRef"); given(ref) {
		return keyRef(ref, "", "policy.hujson").Name
	}
	return ""
}

// Egress reads a TailnetEgress; deleting tells that it is on its way out and
// adds no route any more (RN-07).
func Egress(d document.Document, findings *[]rules.Finding) (e model.Egress, deleting bool) {
	top := document.Root(d, findings)
	meta := metadata(top)
	deleting = given(meta.Get("deletionTimestamp"))
	e = model.Egress{Namespace: d.Namespace, Name: d.Name}
	if ns := meta.Get("namespace"); !given(ns) {
		ns.Report(rules.Namespace, "")
	}
	spec, ok := top.Get("spec").Object()
	if !ok {
		return e, deleting
	}
	defer spec.Close()
	e.Tailnet = reference(spec.Get("tailnetRef"), rules.ObjectName, isObjectName)
	for _, t := range list(spec.Get("targets"), 1, api.MaxEgressTargets) {
		s, ok := t.Str()
		if !ok {
			continue
		}
		a, ok := model.ParseTarget(s)
		if !ok {
			t.Report(rules.EgressTarget, "")
		} else if a != (netip.Addr{}) {
			e.Targets = append(e.Targets, a)
		}
	}
	return e, deleting
}
