package admit

import (
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

// needsHash is how kustomize tells a function that it will append a hash to the
// object's name after the function has run.
const needsHash = "internal.config.kubernetes.io/needsHashSuffix"

// configMaps indexes the ConfigMaps of the input by name, and by the Tailnet that
// they say is theirs.
func (r *reading) configMaps(docs []document.Document) {
	r.maps, r.owned = map[configMapName][]int{}, map[string][]int{}
	for i, d := range docs {
		if d.APIVersion == "v1" && (d.Kind == "ConfigMap" || d.Kind == "Secret") {
			if _, pending := d.Metadata("annotations", needsHash); pending {
				r.pending = append(r.pending, i)
			}
		}
		if d.APIVersion == "v1" && d.Kind == "ConfigMap" {
			n := configMapName{d.Namespace, d.Name}
			r.maps[n] = append(r.maps[n], i)
			if owner, ok := d.Metadata("labels", api.LabelTailnet); ok {
				r.owned[owner] = append(r.owned[owner], i)
			}
		}
	}
}

// configMap returns the data of the one ConfigMap of that name in the operator
// namespace. One without any namespace is refused: where it lands would depend
// on who applies it.
func (r *reading) configMap(docs []document.Document, namespace, name string, role Role) (document.Document, document.Object, bool) {
	for _, i := range r.maps[configMapName{"", name}] {
		if m, ok := document.Root(docs[i], &r.findings).Get("metadata").Object(); ok {
			m.Get("namespace").Report(rules.Namespace, namespace)
		}
		r.roles[i] = role
	}
	found := r.maps[configMapName{namespace, name}]
	if len(found) == 0 {
		return document.Document{}, document.Object{}, false
	}
	for _, i := range found {
		r.roles[i] = role
	}
	d := docs[found[0]]
	root := document.Root(d, &r.findings)
	if len(found) > 1 {
		root.Get("metadata").Report(rules.DuplicateObject, "")
	}
	data, _ := object(root.Get("data"))
	return d, data, true
}

// hosts returns the snapshot of a Tailnet's hosts source; it is empty if the
// source is not in the input (DL-08).
func (r *reading) hosts(docs []document.Document, t model.Tailnet) model.Hosts {
	r.renamedHosts(docs, t)
	r.renamedReferences(docs, t)
	d, data, ok := r.configMap(docs, t.OperatorNamespace, t.Hosts.Name, Source)
	if !ok {
		return model.Hosts{}
	}
	if owner, _ := d.Metadata("labels", api.LabelTailnet); owner != t.Name {
		r.report(rules.Finding{Rule: rules.HostsOwner, Object: d.Object(), Source: d.Source,
			Path: "metadata.labels[" + api.LabelTailnet + "]", Hint: t.Name})
	}
	if _, pending := d.Metadata("annotations", needsHash); pending {
		r.report(rules.Finding{Rule: rules.HostsRenamed, Object: d.Object(), Source: d.Source, Path: "metadata.name"})
	}
	text := data.Get(t.Hosts.Key)
	if !text.Exists() {
		text.Report(rules.HostsKey, "")
		return model.Hosts{}
	}
	s, _ := text.Str()
	return model.Hosts{Object: model.Source{Namespace: d.Namespace, Name: d.Name, Key: t.Hosts.Key}, Text: s}
}

// renamedReferences refuses whatever else a Tailnet refers to where a generator
// is about to rename it.
func (r *reading) renamedReferences(docs []document.Document, t model.Tailnet) {
	for _, i := range r.pending {
		if d := docs[i]; d.Namespace == t.OperatorNamespace && slices.Contains(t.References[d.Kind], d.Name) {
			r.report(rules.Finding{Rule: rules.ReferenceRenamed, Object: d.Object(), Source: d.Source, Path: "metadata.name"})
		}
	}
}

// renamedHosts refuses the hosts source under a name with a hash appended: it is
// what a configMapGenerator makes of it (DN-13).
func (r *reading) renamedHosts(docs []document.Document, t model.Tailnet) {
	for _, i := range r.owned[t.Name] {
		d := docs[i]
		if d.Namespace == t.OperatorNamespace && strings.HasPrefix(d.Name, t.Hosts.Name+"-") {
			r.roles[i] = Source
			r.report(rules.Finding{Rule: rules.HostsRenamed, Object: d.Object(), Source: d.Source,
				Path: "metadata.name"})
		}
	}
}

// binding returns a gateway's entry in the copy of the bindings registry of its
// operator namespace, if the input holds one (RN-05).
func (r *reading) binding(docs []document.Document, read map[string]document.Object, namespace, gateway string) model.Binding {
	data, ok := read[namespace]
	if !ok {
		_, data, _ = r.configMap(docs, namespace, api.BindingsName, Registry)
		read[namespace] = data
	}
	g := data.Get(api.BindingKey(gateway, api.BindingGatewayUID))
	s := data.Get(api.BindingKey(gateway, api.BindingStateUID))
	switch {
	case !g.Exists() && !s.Exists():
		return model.Binding{}
	case !g.Exists():
		g.Report(rules.BindingPartial, "")
	case !s.Exists():
		s.Report(rules.BindingPartial, "")
	}
	return model.Binding{GatewayUID: r.uid(g), StateUID: r.uid(s)}
}

// uid reads one UID of the registry. One that stands there twice would make two
// gateways select each other's Pods.
func (r *reading) uid(v document.Value) string {
	if !v.Exists() {
		return ""
	}
	uid := text(v, 0, rules.BindingValue, model.UID)
	if uid != "" {
		r.uids.add(uid, v, rules.BindingRepeated)
	}
	return uid
}
