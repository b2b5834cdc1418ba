package agreement

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/renderer/crd"
)

// server is what an API server makes of one CRD: the same pruning, defaulting,
// validation and CEL, in process.
type server struct {
	kind       string
	crd        *apiextensions.CustomResourceDefinition
	structural *structuralschema.Structural
	validator  validation.SchemaValidator
	rules      *cel.Validator
	messages   map[string]bool // of the CEL rules
}

// servers returns the servers of all three kinds, by kind.
func servers(t *testing.T) map[string]*server {
	t.Helper()
	out := map[string]*server{}
	for _, b := range crd.All() {
		s := newServer(t, b)
		out[s.kind] = s
	}
	if len(out) != 3 {
		t.Fatalf("%d kinds, want 3", len(out))
	}
	return out
}

func newServer(t *testing.T, b []byte) *server {
	t.Helper()
	definition := decode(t, b)
	version := definition.Spec.Versions[0]
	if definition.Spec.Validation != nil { // one version: the conversion hoists its schema
		version.Schema = definition.Spec.Validation
	}
	structural, err := structuralschema.NewStructural(version.Schema.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	validator, _, err := validation.NewSchemaValidator(version.Schema.OpenAPIV3Schema)
	if err != nil {
		t.Fatal(err)
	}
	s := &server{
		kind: definition.Spec.Names.Kind, crd: definition, structural: structural, validator: validator,
		rules:    cel.NewValidator(structural, true, celconfig.PerCallLimit),
		messages: map[string]bool{},
	}
	collect(structural, s.messages)
	return s
}

func decode(t *testing.T, b []byte) *apiextensions.CustomResourceDefinition {
	t.Helper()
	var v1 apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(b, &v1); err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(&v1)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&v1.Spec)
	v1.Status.StoredVersions = []string{v1.Spec.Versions[0].Name} // as the server sets it on creation
	var internal apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&v1, &internal, nil); err != nil {
		t.Fatal(err)
	}
	return &internal
}

// collect gathers the messages of all CEL rules of a schema.
func collect(s *structuralschema.Structural, messages map[string]bool) {
	visitor := structuralschema.Visitor{Structural: func(n *structuralschema.Structural) bool {
		for _, rule := range n.XValidations {
			messages[rule.Message] = true
		}
		return false
	}}
	visitor.Visit(s)
}

// selfCheck is the server's validation of the CRD itself, the cost of its CEL
// rules included.
func (s *server) selfCheck() field.ErrorList {
	return crdvalidation.ValidateCustomResourceDefinition(context.Background(), s.crd)
}

// admit returns why the server refuses an object; old is nil for a creation.
// Unknown fields count, as they do for kubectl and server-side apply with
// strict validation.
func (s *server) admit(object, old map[string]any) []problem {
	var problems []problem
	for _, path := range s.complete(object) {
		problems = append(problems, problem{path, "unknown field"})
	}
	var errs field.ErrorList
	var previous any // not a typed nil, which would count as an old object
	if old == nil {
		errs = validation.ValidateCustomResource(nil, object, s.validator)
	} else {
		s.complete(old)
		previous = old
		errs = validation.ValidateCustomResourceUpdate(nil, object, old, s.validator)
	}
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s.structural, object)...)
	if !slices.ContainsFunc(errs, blocks) {
		more, _ := s.rules.Validate(context.Background(), nil, s.structural, object, previous, celconfig.RuntimeCELCostBudget)
		errs = append(errs, more...)
	}
	for _, e := range errs {
		problems = append(problems, problem{strings.TrimPrefix(e.Field, "<nil>"), fmt.Sprintf("%s: %s", e.Type, e.Detail)})
	}
	return problems
}

// complete prunes an object, fills in its defaults and returns the paths of the
// fields that it did not know.
func (s *server) complete(object map[string]any) []string {
	unknown := pruning.PruneWithOptions(object, s.structural, true,
		structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	defaulting.PruneNonNullableNullsWithoutDefaults(object, s.structural)
	defaulting.Default(object, s.structural)
	return unknown
}

// blocks reports whether the server evaluates no CEL rule beside this error.
func blocks(e *field.Error) bool {
	switch e.Type {
	case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
		return true
	}
	return false
}

// problem is one reason of the server.
type problem struct{ path, message string }

// text is the message without what the server puts around it.
func (p problem) text() string {
	_, text, _ := strings.Cut(p.message, ": ")
	if _, rule, ok := strings.Cut(text, " evaluating rule: "); ok {
		return rule
	}
	return text
}
