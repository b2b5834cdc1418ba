package observe

import (
	"encoding/json"
	"errors"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

// Render is what the live custom resources come to.
type Render struct {
	// Gateway is nil where nothing can be rendered. Where only the hosts source is
	// refused it is the rendering of an empty one: what hosts decide is not
	// compared, and the rest can be.
	Gateway *renderer.Gateway
	Refused rules.Refusal // empty if nothing is
}

// RenderOf renders one gateway from live objects, without their status: a node
// that is named there is this gateway's own (RN-08). hosts is nil where there is
// no hosts source; egresses that are being deleted do not count.
func RenderOf(g *v1alpha1.TailnetGateway, t *v1alpha1.Tailnet, hosts *corev1.ConfigMap, egresses []v1alpha1.TailnetEgress) Render {
	docs := []document.Document{
		custom(api.KindTailnetGateway, &g.ObjectMeta, g.Spec),
		custom(api.KindTailnet, &t.ObjectMeta, t.Spec),
	}
	for i := range egresses {
		if e := &egresses[i]; e.DeletionTimestamp == nil {
			docs = append(docs, custom(api.KindTailnetEgress, &e.ObjectMeta, e.Spec))
		}
	}
	if hosts == nil {
		return rendered(docs)
	}
	r := rendered(append(docs[:len(docs):len(docs)], source(hosts)))
	if r.Gateway == nil && onlyHosts(r.Refused) {
		r.Gateway = rendered(docs).Gateway
	}
	return r
}

// HostsRule reports whether a rule is about the hosts source.
func HostsRule(id rules.ID) bool { return strings.HasPrefix(string(id), "hosts-") }

func onlyHosts(refused rules.Refusal) bool {
	for _, f := range refused {
		if !HostsRule(f.Rule) {
			return false
		}
	}
	return true
}

func rendered(docs []document.Document) Render {
	out, err := renderer.Render(docs)
	if err != nil {
		var refused rules.Refusal
		errors.As(err, &refused) // Render's only error
		return Render{Refused: refused}
	}
	return Render{Gateway: &out.Gateways[0]}
}

// custom and source are live objects as documents, without what only a server
// writes.
func custom(kind string, m *metav1.ObjectMeta, spec any) document.Document {
	return parsed(map[string]any{"apiVersion": api.APIVersion, "kind": kind, "metadata": metadata(m), "spec": spec})
}

func source(hosts *corev1.ConfigMap) document.Document {
	object := map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata(&hosts.ObjectMeta)}
	if hosts.Data != nil {
		object["data"] = hosts.Data
	}
	return parsed(object)
}

func metadata(m *metav1.ObjectMeta) map[string]any {
	out := map[string]any{"name": m.Name}
	if m.Namespace != "" {
		out["namespace"] = m.Namespace
	}
	if m.Labels != nil {
		out["labels"] = m.Labels
	}
	return out
}

func parsed(object map[string]any) document.Document {
	data, err := json.Marshal(object)
	if err != nil {
		panic(err) // maps and structs of strings and numbers: cannot happen
	}
	docs, findings := document.Parse("", data)
	if len(docs) != 1 || len(findings) > 0 {
		panic("observe: a named object is no document") // what encoding/json writes is YAML
	}
	return docs[0]
}
