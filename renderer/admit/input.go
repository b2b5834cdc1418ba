package admit

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

// Role tells what a document of the input is to this product.
type Role uint8

// The roles of a document.
const (
	Other     Role = iota // somebody else's object
	Source                // a Tailnet, TailnetGateway, TailnetEgress or hosts source
	Registry              // a copy of the bindings registry; never written out again
	Rendering             // an earlier rendering of a gateway
)

// Input is an admitted input.
type Input struct {
	Gateways []model.Inputs // sorted by gateway name; suspended ones included
	Roles    []Role         // by document, in the order given
}

// Documents admits a whole input. The Input is complete only if no finding but
// warnings comes with it.
func Documents(docs []document.Document) (Input, []rules.Finding) {
	r := &reading{roles: make([]Role, len(docs)), tailnets: map[string]*model.Tailnet{}, uids: unique[string]{}}
	r.objects(docs)
	r.configMaps(docs)
	gateways := r.resolve(docs)
	r.renderings(docs)
	return Input{gateways, r.roles}, r.findings
}

type reading struct {
	findings []rules.Finding
	roles    []Role
	tailnets map[string]*model.Tailnet
	gateways []gatewayDoc
	egresses []model.Egress
	maps     map[configMapName][]int // documents by the name that somebody refers to
	owned    map[string][]int        // documents by the Tailnet in their label
	pending  []int                   // documents that kustomize is about to rename
	uids     unique[string]          // of the bindings registries
}

type gatewayDoc struct {
	model.Gateway
	doc int
}

type configMapName struct{ namespace, name string }

// objects reads the documents of our kinds.
func (r *reading) objects(docs []document.Document) {
	seen := make(map[rules.Object]bool, len(docs))
	for i, d := range docs {
		group, _, _ := strings.Cut(d.APIVersion, "/")
		if group != api.Group {
			continue
		}
		r.roles[i] = Source
		root := document.Root(d, &r.findings)
		if d.APIVersion != api.APIVersion {
			root.Get("apiVersion").Report(rules.APIVersion, "")
			continue
		}
		if seen[d.Object()] {
			root.Get("metadata").Report(rules.DuplicateObject, "")
			continue
		}
		seen[d.Object()] = true
		switch d.Kind {
		case api.KindTailnet:
			t := Tailnet(d, &r.findings)
			r.tailnets[d.Name] = &t
			r.clusterScoped(d, t.OperatorNamespace)
		case api.KindTailnetGateway:
			HistoricalNode(d, &r.findings)
			r.gateways = append(r.gateways, gatewayDoc{Gateway(d, &r.findings), i})
		case api.KindTailnetEgress:
			if e, deleting := Egress(d, &r.findings); !deleting {
				r.egresses = append(r.egresses, e)
			}
		default:
			root.Get("kind").Report(rules.UnknownKind, "")
		}
	}
	slices.SortFunc(r.egresses, func(a, b model.Egress) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
	slices.SortFunc(r.gateways, func(a, b gatewayDoc) int { return cmp.Compare(a.Name, b.Name) })
}

// clusterScoped refuses a namespace on a cluster-scoped object, unless it is the
// one that kustomize's own namespace field would rightly set for everything else.
func (r *reading) clusterScoped(d document.Document, operator string) {
	if d.Namespace == "" || d.Namespace == operator {
		return
	}
	if m, ok := document.Root(d, &r.findings).Get("metadata").Object(); ok {
		m.Get("namespace").Report(rules.ClusterScoped, "")
	}
}

// resolve gives every gateway its Tailnet, hosts and binding.
func (r *reading) resolve(docs []document.Document) []model.Inputs {
	out := make([]model.Inputs, 0, len(r.gateways))
	hosts, egresses := map[string]model.Hosts{}, map[string][]model.Egress{}
	for _, e := range r.egresses {
		egresses[e.Tailnet] = append(egresses[e.Tailnet], e)
	}
	for _, name := range slices.Sorted(maps.Keys(r.tailnets)) {
		t := r.tailnets[name]
		hosts[name] = r.hosts(docs, *t)
		for _, e := range egresses[name] {
			if e.Namespace != t.OperatorNamespace && e.Namespace != "" {
				r.report(rules.Finding{Rule: rules.EgressElsewhere, Path: "metadata.namespace",
					Object: rules.Object{Kind: api.KindTailnetEgress, Namespace: e.Namespace, Name: e.Name}})
			}
		}
	}
	registries := map[string]document.Object{}
	for _, g := range r.gateways {
		in := model.Inputs{Gateway: g.Gateway, Egresses: egresses[g.Tailnet]}
		if t, ok := r.tailnets[g.Tailnet]; ok {
			in.Tailnet, in.Hosts = *t, hosts[g.Tailnet]
			r.clusterScoped(docs[g.doc], t.OperatorNamespace)
			in.Binding = r.binding(docs, registries, t.OperatorNamespace, g.Name)
		} else if g.Tailnet != "" {
			r.report(rules.Finding{Rule: rules.TailnetMissing, Path: "spec.tailnetRef.name",
				Object: docs[g.doc].Object(), Source: docs[g.doc].Source})
		}
		out = append(out, in)
	}
	return out
}

func (r *reading) report(f rules.Finding) { r.findings = append(r.findings, f) }

// renderings finds what an earlier run of this renderer wrote. Of a gateway of
// this input it is replaced; of any other it is refused rather than dropped,
// since to an engine a dropped object is one to prune.
func (r *reading) renderings(docs []document.Document) {
	ours := make(map[string]bool, len(r.gateways))
	for _, g := range r.gateways {
		ours[g.Name] = true
	}
	for i, d := range docs {
		if r.roles[i] != Other {
			continue
		}
		gateway, ok := renderedFor(d)
		if !ok {
			continue
		}
		r.roles[i] = Rendering
		if !ours[gateway] {
			r.report(rules.Finding{Rule: rules.EarlierRendering, Object: d.Object(), Source: d.Source})
		}
	}
}

// renderedFor tells which gateway an object was rendered for.
func renderedFor(d document.Document) (gateway string, ok bool) {
	_, stamped := d.Metadata("annotations", api.AnnotationRenderFormat)
	gateway, labelled := d.Metadata("labels", api.LabelGateway)
	return gateway, stamped && labelled
}
