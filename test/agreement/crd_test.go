package agreement

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/util/json"
	kyaml "sigs.k8s.io/yaml"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/rules"
	"tsunaro.io/gateway/test/corpus"
)

// minCRDCases guards against a corpus that no longer reaches the CRDs.
const minCRDCases = 450

// An API server takes the CRDs, with all CEL rules within its cost budget.
func TestServerTakesTheCRDs(t *testing.T) {
	for kind, s := range servers(t) {
		for _, e := range s.selfCheck() {
			t.Errorf("%s: %v", kind, e)
		}
	}
}

// Servers before 1.37 assume that metadata.name may be as long as a whole
// request, which makes every rule about it dearer.
func TestOlderServersTakeTheCRDs(t *testing.T) {
	const maxRequest = 3 << 20 // bytes; a character counts four
	long := apiextensions.JSONSchemaProps{Type: "string", MaxLength: new(int64(maxRequest / 4))}
	for kind, s := range servers(t) {
		root := s.crd.Spec.Validation.OpenAPIV3Schema
		root.Properties["metadata"] = apiextensions.JSONSchemaProps{
			Type:       "object",
			Properties: map[string]apiextensions.JSONSchemaProps{"name": long, "generateName": long},
		}
		for _, e := range s.selfCheck() {
			t.Errorf("%s: %v", kind, e)
		}
	}
}

// oldest is the environment in which a server 1.34, the oldest supported one,
// compiles the CEL rules of a CRD that it has not stored yet: that of the
// version before, so that it could be rolled back.
var oldest = version.MajorMinor(1, 33)

// REQ: RN-06
func TestOldestServerCompilesTheRules(t *testing.T) {
	for kind, s := range servers(t) {
		compile(t, kind, s.structural, true)
	}
}

func compile(t *testing.T, path string, s *structuralschema.Structural, root bool) {
	t.Helper()
	if len(s.XValidations) > 0 {
		results, err := cel.Compile(s, model.SchemaDeclType(s, root), celconfig.PerCallLimit,
			environment.MustBaseEnvSet(oldest), cel.NewExpressionsEnvLoader())
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for i, r := range results {
			if r.Error != nil {
				t.Errorf("%s: rule %d: %v", path, i, r.Error)
			}
		}
	}
	for name, p := range s.Properties {
		compile(t, path+"."+name, &p, false)
	}
	if s.Items != nil {
		compile(t, path+"[]", s.Items, false)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		compile(t, path+"{}", s.AdditionalProperties.Structural, false)
	}
}

// REQ: CF-07
func TestCELMessagesAreRuleTexts(t *testing.T) {
	texts := map[string]bool{}
	for _, r := range rules.Table {
		texts[r.Text] = true
	}
	for _, s := range servers(t) {
		for message := range s.messages {
			if !texts[message] {
				t.Errorf("%s: the message %q is no rule's text", s.kind, message)
			}
		}
	}
}

// natively are the rules that the schema itself expresses, with the server's own
// message.
var natively = []string{
	"unknown-field", "required", "string-type", "boolean-type", "integer-type", "list-type", "object-type",
	"too-many", "too-long", "policy-mode", "deletion-policy",
}

// A rule that the corpus runs through the CRDs is carried by a CEL rule or by
// the schema itself.
//
// REQ: CF-07
func TestCRDsCarryWhatTheCorpusSays(t *testing.T) {
	all, err := corpus.Load()
	if err != nil {
		t.Fatal(err)
	}
	carried := carriedRules(t)
	for _, r := range all {
		byCEL, bySchema := carried[r.ID], slices.Contains(natively, r.ID)
		switch inCRD := refusedByEngine(r, corpus.CRD); {
		case inCRD && byCEL == bySchema:
			t.Errorf("%s: carried by CEL: %v, by the schema: %v", r.ID, byCEL, bySchema)
		case bySchema && !inCRD:
			t.Errorf("%s: no refused case", r.ID)
		}
	}
}

func refusedByEngine(r corpus.Rule, e corpus.Engine) bool {
	return slices.ContainsFunc(r.Refuse, func(c corpus.Case) bool { return c.In(e) })
}

// Each CEL rule, at each place of each CRD, refuses something in the corpus.
//
// REQ: CF-07
func TestEveryCELRuleRefusesSomething(t *testing.T) {
	all, err := corpus.Load()
	if err != nil {
		t.Fatal(err)
	}
	byKind, hit := servers(t), map[string]bool{}
	for _, r := range all {
		for _, c := range r.Refuse {
			if !c.In(corpus.CRD) {
				continue
			}
			for object, problems := range verdicts(t, byKind, c) {
				kind, _, _ := strings.Cut(object, "/")
				for _, p := range problems {
					hit[kind+" "+brackets.ReplaceAllString(p.path, "[]")+" "+p.text()] = true
				}
			}
		}
	}
	for kind, s := range byKind {
		for _, place := range celRules(kind+" ", "", s.structural) {
			if !hit[place] {
				t.Errorf("nothing in the corpus is refused by %s", place)
			}
		}
	}
}

var brackets = regexp.MustCompile(`\[[^\]]*\]`)

// celRules lists the CEL rules of a schema: where each reports, and its message.
func celRules(prefix, path string, s *structuralschema.Structural) []string {
	var out []string
	for _, r := range s.XValidations {
		at := path + r.FieldPath
		if strings.Contains(r.Rule, "transformMapEntry") {
			at = path // a rule that fails instead of being false reports there
		}
		out = append(out, prefix+strings.TrimPrefix(at, ".")+" "+r.Message)
	}
	for name, p := range s.Properties {
		out = append(out, celRules(prefix, path+"."+name, &p)...)
	}
	if s.Items != nil {
		out = append(out, celRules(prefix, path+"[]", s.Items)...)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Structural != nil {
		out = append(out, celRules(prefix, path+"[]", s.AdditionalProperties.Structural)...)
	}
	return out
}

// carriedRules returns the rules whose text is the message of a CEL rule.
func carriedRules(t *testing.T) map[string]bool {
	t.Helper()
	messages := map[string]bool{}
	for _, s := range servers(t) {
		maps.Copy(messages, s.messages)
	}
	carried := map[string]bool{}
	for _, r := range rules.Table {
		if messages[r.Text] {
			carried[string(r.ID)] = true
		}
	}
	return carried
}

// REQ: CF-01, CF-02, CF-03, CF-04, CF-05, CF-06, CF-07, CF-08
func TestCRDs(t *testing.T) {
	all, err := corpus.Load()
	if err != nil {
		t.Fatal(err)
	}
	byKind, carried, ran := servers(t), carriedRules(t), 0
	for _, r := range all {
		for _, c := range r.Accept {
			if c.In(corpus.CRD) {
				ran++
				t.Run(r.ID+"/accept/"+c.Why, func(t *testing.T) { acceptedByCRD(t, byKind, c) })
			}
		}
		for _, c := range r.Refuse {
			if c.In(corpus.CRD) {
				ran++
				t.Run(r.ID+"/refuse/"+c.Why, func(t *testing.T) { refusedByCRD(t, byKind, r, c, carried[r.ID]) })
			}
		}
	}
	if ran < minCRDCases {
		t.Errorf("%d cases, want at least %d", ran, minCRDCases)
	}
}

func acceptedByCRD(t *testing.T, byKind map[string]*server, c corpus.Case) {
	for name, problems := range verdicts(t, byKind, c) {
		for _, r := range problems {
			t.Errorf("%s: %s: %s", name, r.path, r.message)
		}
	}
}

// refusedByCRD wants a refusal at the path of the case, with the rule's text where a
// CEL rule carries it. A value of the wrong length never reaches CEL.
func refusedByCRD(t *testing.T, byKind map[string]*server, rule corpus.Rule, c corpus.Case, carried bool) {
	path := c.Path
	if c.CRDPath != nil {
		path = *c.CRDPath
	}
	got := verdicts(t, byKind, c)[c.Object]
	for _, r := range got {
		if r.path == path && (!carried || strings.Contains(r.message, rule.Text) || strings.Contains(r.message, "Too long")) {
			return
		}
	}
	t.Errorf("%s: not refused at %q (%s): %q", c.Object, path, rule.Text, got)
}

// verdicts runs every object of our kinds through the server of its kind.
func verdicts(t *testing.T, byKind map[string]*server, c corpus.Case) map[string][]problem {
	t.Helper()
	docs, err := c.Docs()
	if err != nil {
		t.Fatal(err)
	}
	before := map[string]map[string]any{}
	if c.Old != nil {
		old, err := corpus.Case{Why: c.Why, Set: c.Old}.Docs()
		if err != nil {
			t.Fatal(err)
		}
		before = streamObjects(t, old)
	}
	out := map[string][]problem{}
	for name, object := range streamObjects(t, docs) {
		if s := byKind[object["kind"].(string)]; s != nil {
			out[name] = s.admit(object, before[name])
		}
	}
	return out
}

// streamObjects reads a stream of documents as a server does: through JSON.
func streamObjects(t *testing.T, stream []byte) map[string]map[string]any {
	t.Helper()
	out := map[string]map[string]any{}
	dec := yaml.NewDecoder(bytes.NewReader(stream))
	for {
		var node yaml.Node
		err := dec.Decode(&node)
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := yaml.Marshal(&node)
		if err != nil {
			t.Fatal(err)
		}
		b, err := kyaml.YAMLToJSON(text)
		if err != nil {
			t.Fatal(err)
		}
		var object map[string]any
		if err := json.Unmarshal(b, &object); err != nil {
			t.Fatal(err)
		}
		out[objectOf(object).String()] = object
	}
}

// The cost budget of one object must suffice for the largest one. Everything in
// it is as long and as many as its bounds allow.
func TestLargestGatewayIsAccepted(t *testing.T) {
	list := func(n int, item any) map[string]any {
		return map[string]any{"$list": map[string]any{"n": n, "from": 1000, "item": item}}
	}
	addresses := make([]any, api.MaxRecordAddresses)
	for i := range addresses {
		addresses[i] = fmt.Sprintf("2001:db8:1111:2222:3333:4444:5555:%x", 0x1000+i)
	}
	long := strings.Repeat("a", 49) + "." + strings.Repeat("b", 63) + "." + strings.Repeat("c", 63) + "." + strings.Repeat("d", 57)
	pool := map[string]any{"$map": map[string]any{"n": api.MaxPoolLabels, "from": 1000,
		"key": long + "/k%d" + strings.Repeat("k", 58), "value": strings.Repeat("v", api.MaxLabel)}}
	c := corpus.Case{Why: "largest", Set: map[string]any{
		"gateway:spec.tags":       list(api.MaxTags, "tag:"+strings.Repeat("a", 55)+"%d"),
		"gateway:spec.routes.lan": list(api.MaxLANRoutes, "192.168.100.100/32"),
		"gateway:spec.poolLabels": pool,
		"gateway:spec.dns.records": list(api.MaxRecords, map[string]any{
			"name":      "n%d." + long,
			"addresses": addresses,
		}),
		"gateway:spec.dns.extraZones": list(api.MaxExtraZones, map[string]any{
			"zone":      "n%d." + long,
			"upstreams": addresses[:api.MaxUpstreams],
		}),
		"gateway:spec.pod.sysctls":      list(api.MaxSysctls, map[string]any{"name": "net.n%d." + long, "value": "1"}),
		"gateway:spec.pod.tolerations":  list(api.MaxTolerations, map[string]any{"key": long + "/" + strings.Repeat("k", 63), "operator": "Exists"}),
		"gateway:spec.pod.nodeSelector": pool,
	}}
	acceptedByCRD(t, servers(t), c)
}

func objectOf(object map[string]any) rules.Object {
	meta, _ := object["metadata"].(map[string]any)
	o := rules.Object{}
	o.Kind, _ = object["kind"].(string)
	o.Name, _ = meta["name"].(string)
	o.Namespace, _ = meta["namespace"].(string)
	return o
}

// REQ: LC-01
func TestScopeAndNames(t *testing.T) {
	for kind, want := range map[string]struct {
		scope, short string
		status       bool
	}{
		api.KindTailnet:        {"Cluster", "tn", true},
		api.KindTailnetGateway: {"Cluster", "tngw", true},
		api.KindTailnetEgress:  {"Namespaced", "tnegress", false},
	} {
		spec := servers(t)[kind].crd.Spec
		status := spec.Subresources != nil && spec.Subresources.Status != nil
		if string(spec.Scope) != want.scope || status != want.status || !slices.Equal(spec.Names.ShortNames, []string{want.short}) {
			t.Errorf("%s: scope %s, short names %v, status subresource %v", kind, spec.Scope, spec.Names.ShortNames, status)
		}
		if spec.Group != api.Group || spec.Versions[0].Name != api.Version || !slices.Equal(spec.Names.Categories, []string{"tsunaro"}) {
			t.Errorf("%s: %s/%s, categories %v", kind, spec.Group, spec.Versions[0].Name, spec.Names.Categories)
		}
	}
}

// REQ: LC-02, TD-01
func TestSafeDefaults(t *testing.T) {
	docs, err := sparse.Documents()
	if err != nil {
		t.Fatal(err)
	}
	s := servers(t)[api.KindTailnetGateway]
	for _, d := range docs {
		spec, _ := d.Object["spec"].(map[string]any)
		if d.Name != "gateway" {
			continue
		}
		delete(spec, "suspend")
		s.complete(d.Object)
		if spec["suspend"] != true || spec["deletionPolicy"] != "Retain" {
			t.Errorf("suspend %v, deletionPolicy %v", spec["suspend"], spec["deletionPolicy"])
		}
	}
}
