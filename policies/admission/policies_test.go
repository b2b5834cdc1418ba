package admission

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/yaml"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/digest"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/test/corpus"
)

// minPolicies guards against a glob that finds nothing.
const minPolicies = 12

type object struct {
	Kind     string
	Metadata struct{ Name string }
	Spec     struct {
		// Of a policy.
		FailurePolicy    string
		ParamKind        *struct{ Kind string }
		MatchConstraints struct {
			ObjectSelector struct {
				MatchExpressions []struct{ Key, Operator string }
			}
			ResourceRules []struct {
				APIGroups, Resources, Operations []string
				Scope                            string
			}
		}
		Validations []struct{ Reason, Message, MessageExpression string }

		// Of a binding.
		PolicyName        string
		ValidationActions []string
		ParamRef          *struct{ Name, ParameterNotFoundAction string }
		MatchResources    struct {
			NamespaceSelector struct {
				MatchExpressions []struct {
					Key, Operator string
					Values        []string
				}
			}
		}
	}
}

// file is a policy with its binding.
type file struct {
	name, text      string
	policy, binding object
}

func files(t *testing.T) []file {
	t.Helper()
	paths, err := filepath.Glob("*ting/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []file
	for _, path := range paths {
		if filepath.Base(path) == "kustomization.yaml" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f := file{name: path, text: string(text)}
		dec := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
		if err := errors.Join(dec.Decode(&f.policy), dec.Decode(&f.binding)); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := dec.Decode(new(json.RawMessage)); !errors.Is(err, io.EOF) {
			t.Errorf("%s holds more than a policy and its binding", path)
		}
		all = append(all, f)
	}
	if len(all) < minPolicies {
		t.Fatalf("%d policies, want at least %d", len(all), minPolicies)
	}
	return all
}

// Every policy fails closed, is bound, and is bound for the operator namespace
// alone, so that one patch moves them all. What it refuses is not replaced by force.
//
// REQ: RN-09
func TestBindings(t *testing.T) {
	for _, f := range files(t) {
		p, b := f.policy, f.binding
		want := strings.TrimSuffix(filepath.Base(f.name), ".yaml")
		if p.Metadata.Name != "tsunaro-"+want || b.Spec.PolicyName != p.Metadata.Name || b.Kind != p.Kind+"Binding" {
			t.Errorf("%s: policy %s, binding of %s", f.name, p.Metadata.Name, b.Spec.PolicyName)
		}
		if p.Spec.FailurePolicy != "Fail" {
			t.Errorf("%s: failure policy %q", f.name, p.Spec.FailurePolicy)
		}
		if validating := strings.HasPrefix(p.Kind, "Validating"); validating != slices.Equal(b.Spec.ValidationActions, []string{"Deny"}) {
			t.Errorf("%s: validation actions %v", f.name, b.Spec.ValidationActions)
		}
		if (p.Spec.ParamKind == nil) != (b.Spec.ParamRef == nil) {
			t.Errorf("%s: the parameter is declared or referred to, but not both", f.name)
		}
		// Deny comes before everything else in the policy, so it must be about
		// creations alone: anything else would hold up finalizers.
		if ref := b.Spec.ParamRef; ref != nil && (ref.Name != api.BindingsName || (ref.ParameterNotFoundAction == "Deny") != (p.Metadata.Name == "tsunaro-create")) {
			t.Errorf("%s: parameter %v", f.name, *ref)
		}
		selector := b.Spec.MatchResources.NamespaceSelector.MatchExpressions
		if len(selector) != 1 || selector[0].Key != "kubernetes.io/metadata.name" || selector[0].Operator != "In" ||
			!slices.Equal(selector[0].Values, []string{api.DefaultOperatorNamespace}) {
			t.Errorf("%s: namespaces %v", f.name, selector)
		}
		for _, v := range p.Spec.Validations {
			if v.Message == "" {
				t.Errorf("%s: a validation without a message", f.name)
			}
			// A refusal is Invalid unless it says otherwise, and what is invalid a
			// Kustomization of Flux with spec.force deletes to create it anew.
			if v.Reason != "Forbidden" {
				t.Errorf("%s: a validation that refuses with the reason %q", f.name, v.Reason)
			}
			// So it does with what these words say.
			if said := v.Message + v.MessageExpression; strings.Contains(said, "is immutable") || strings.Contains(said, "immutable field") {
				t.Errorf("%s: Flux takes %q for an immutable field", f.name, said)
			}
		}
	}
}

// A policy that is about the nine is about all their kinds, and sees nothing
// that lacks their label.
//
// REQ: UP-11
func TestPoliciesKnowTheNine(t *testing.T) {
	nine := kinds(t)
	if len(nine) != 7 {
		t.Fatalf("the nine are of kinds %v", nine)
	}
	for _, f := range files(t) {
		var covered []string
		deletes := false
		for _, r := range f.policy.Spec.MatchConstraints.ResourceRules {
			for _, resource := range r.Resources {
				covered = append(covered, r.APIGroups[0]+"/"+resource)
			}
			deletes = deletes || slices.Contains(r.Operations, "DELETE") || slices.Contains(r.Operations, "*")
			if r.Scope != "*" {
				t.Errorf("%s: a rule without the scope that the server fills in", f.name)
			}
		}
		slices.Sort(covered)
		if deletes {
			t.Errorf("%s: a deletion is nobody's business", f.name)
		}
		selects := f.policy.Spec.MatchConstraints.ObjectSelector.MatchExpressions
		labelled := len(selects) == 1 && selects[0].Key == api.LabelGateway && selects[0].Operator == "Exists"
		switch {
		case len(covered) > 2 && !slices.Equal(covered, nine):
			t.Errorf("%s: kinds %v, want %v", f.name, covered, nine)
		case !labelled && !slices.Contains([]string{"tsunaro-scale", "tsunaro-records", "tsunaro-record-names", "tsunaro-custom-resources"}, f.policy.Metadata.Name):
			t.Errorf("%s: not by the label: %v", f.name, selects)
		}
	}
}

// kinds are those of a rendered gateway, as group/resource.
func kinds(t *testing.T) []string {
	t.Helper()
	input, err := corpus.Case{Why: "base"}.Docs()
	if err != nil {
		t.Fatal(err)
	}
	docs, findings := document.Parse("", input)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	out, err := renderer.Render(docs)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, o := range out.Objects() {
		group, _, grouped := strings.Cut(o.APIVersion, "/")
		if !grouped {
			group = ""
		}
		all = append(all, group+"/"+strings.ToLower(o.Kind)+"s")
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var ownKey = regexp.MustCompile(`tsunaro\.io(/|~1)[a-z0-9-]+`)

// No key is spelled otherwise than the renderer spells it.
func TestKeysAreTheRenderers(t *testing.T) {
	known := []string{
		api.LabelGateway, api.LabelGatewayUID, api.LabelStateUID, api.FinalizerTeardown,
		api.AnnotationPoolLabelKeys, api.AnnotationDNSSerial, api.AnnotationDNSHash,
	}
	for _, f := range files(t) {
		for _, key := range ownKey.FindAllString(f.text, -1) {
			if !slices.Contains(known, strings.Replace(key, "~1", "/", 1)) {
				t.Errorf("%s: no key %s", f.name, key)
			}
		}
	}
	text := func(name string) string {
		i := slices.IndexFunc(files(t), func(f file) bool { return f.policy.Metadata.Name == name })
		if i < 0 {
			t.Fatalf("no policy %s", name)
		}
		return files(t)[i].text
	}
	for policy, words := range map[string][]string{
		"tsunaro-bind": {
			strings.TrimPrefix(api.Placeholder("x", api.BindingGatewayUID), "${x"),
			strings.TrimPrefix(api.Placeholder("x", api.BindingStateUID), "${x"),
		},
		"tsunaro-engines": {api.AnnotationFluxForce, api.AnnotationArgoSync},
		"tsunaro-zone":    {api.MinterName}, "tsunaro-keep-live-zone": {api.MinterName},
		"tsunaro-records": {api.MinterName, api.BindingsName}, "tsunaro-record-names": {api.MinterName},
		"tsunaro-custom-resources": {api.MinterName, api.FinalizerTeardown, api.Group},
	} {
		for _, word := range words {
			if !strings.Contains(text(policy), word) {
				t.Errorf("%s does not know %s", policy, word)
			}
		}
	}
	live := 0
	for _, f := range digest.Fields {
		if f.Class == digest.Live {
			live++
			for _, policy := range []string{"tsunaro-keep-live-zone", "tsunaro-zone", "tsunaro-pinned"} {
				if key := f.Path[len(f.Path)-1]; !strings.Contains(text(policy), `"`+key+`"`) {
					t.Errorf("%s does not know that %s is the minter's", policy, key)
				}
			}
		}
	}
	if live != 5 {
		t.Errorf("%d live fields, want 5", live)
	}
}

// The kustomizations hold every policy, and the page for users a row for each.
func TestEveryPolicyIsInstalledAndExplained(t *testing.T) {
	page, err := os.ReadFile("../../docs/binding.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files(t) {
		list, err := os.ReadFile(filepath.Join(filepath.Dir(f.name), "kustomization.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(list), "- "+filepath.Base(f.name)+"\n") {
			t.Errorf("%s is not in its kustomization", f.name)
		}
		if !strings.Contains(string(page), "`"+f.policy.Metadata.Name+"`") {
			t.Errorf("docs/binding.md does not explain %s", f.policy.Metadata.Name)
		}
	}
}
