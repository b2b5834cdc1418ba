//go:build lab

package apiserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/crd"
	"tsunaro.io/gateway/test/corpus"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// minCases guards against a corpus that no longer reaches the CRDs.
const minCases = 450

// The corpus through the CRDs as a server runs them: the same verdicts at the
// same paths, with the texts of the rules.
//
// REQ: CF-07, CF-01, CF-02, CF-03, CF-04, CF-05, CF-06, CF-08, LC-01, LC-02
func TestCorpus(t *testing.T) {
	all, err := corpus.Load()
	if err != nil {
		t.Fatal(err)
	}
	messages := celMessages(t)
	each(t, apiserver.Versions, func(t *testing.T, l *lab) {
		c, ran := newAdmitter(t, l), 0
		for _, r := range all {
			for _, accepted := range r.Accept {
				if accepted.In(corpus.CRD) {
					ran++
					for object, err := range c.verdicts(t, accepted) {
						if err != nil {
							t.Errorf("%s: accept %q: %s: %v", r.ID, accepted.Why, object, err)
						}
					}
				}
			}
			for _, refused := range r.Refuse {
				if refused.In(corpus.CRD) {
					ran++
					path := refused.Path
					if refused.CRDPath != nil {
						path = *refused.CRDPath
					}
					err := c.verdicts(t, refused)[refused.Object]
					if !refusedAt(err, path, r.Text, messages[r.Text]) {
						t.Errorf("%s: refuse %q: want %q at %q, got %v", r.ID, refused.Why, r.Text, path, err)
					}
				}
			}
		}
		if ran < minCases {
			t.Errorf("%d cases, want at least %d", ran, minCases)
		}
		t.Logf("%d cases", ran)
	})
}

// celMessages are the messages of all CEL rules of the CRDs.
func celMessages(t *testing.T) map[string]bool {
	t.Helper()
	messages := map[string]bool{}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			if rules, ok := v["x-kubernetes-validations"].([]any); ok {
				for _, r := range rules {
					messages[fmt.Sprint(r.(map[string]any)["message"])] = true
				}
			}
			for _, inner := range v {
				walk(inner)
			}
		case []any:
			for _, inner := range v {
				walk(inner)
			}
		}
	}
	for _, b := range crd.All() {
		var definition any
		if err := yaml.Unmarshal(b, &definition); err != nil {
			t.Fatal(err)
		}
		walk(definition)
	}
	return messages
}

// refusedAt wants one cause at the path, with the rule's text where a CEL rule
// carries it. A value of the wrong length never reaches CEL.
func refusedAt(err error, path, text string, carried bool) bool {
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return false
	}
	s := status.Status()
	if strings.Contains(s.Message, fmt.Sprintf("unknown field %q", path)) || // strict decoding comes first
		strings.Contains(s.Message, fmt.Sprintf(`unknown field "%s.`, path)) {
		return true
	}
	if s.Details == nil {
		return false
	}
	for _, cause := range s.Details.Causes {
		if strings.TrimPrefix(cause.Field, "<nil>") == path &&
			(!carried || strings.Contains(cause.Message, text) || strings.Contains(cause.Message, "Too long")) {
			return true
		}
	}
	return false
}

// admitter asks a server about objects without keeping them.
type admitter struct{ rest *rest.RESTClient }

var resources = map[string]string{
	api.KindTailnet: "tailnets", api.KindTailnetGateway: "tailnetgateways", api.KindTailnetEgress: "tailnetegresses",
}

func newAdmitter(t *testing.T, l *lab) admitter {
	t.Helper()
	config, err := l.Config(apiserver.Person)
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	config = rest.CopyConfig(config)
	config.GroupVersion = &schema.GroupVersion{Group: api.Group, Version: api.Version}
	config.APIPath = "/apis"
	config.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	c, err := rest.RESTClientFor(config)
	if err != nil {
		t.Fatal(err)
	}
	return admitter{c}
}

// identity is what a request needs to know of an object.
type identity struct {
	Kind     string
	Metadata struct{ Name, Namespace string }
}

func (i identity) String() string {
	if i.Metadata.Namespace != "" {
		return i.Kind + "/" + i.Metadata.Namespace + "/" + i.Metadata.Name
	}
	return i.Kind + "/" + i.Metadata.Name
}

// verdicts runs every object of our kinds in a case past the server, as kubectl
// would: strictly. A case with an older state is an update of that.
func (a admitter) verdicts(t *testing.T, c corpus.Case) map[string]error {
	t.Helper()
	before := map[string]json.RawMessage{}
	if c.Old != nil {
		for id, object := range documents(t, corpus.Case{Why: c.Why, Set: c.Old}) {
			before[id.String()] = object
		}
	}
	out := map[string]error{}
	for id, object := range documents(t, c) {
		old, update := before[id.String()]
		if !update {
			out[id.String()] = a.create(t, id, object)
			continue
		}
		stored, err := a.request(t, a.rest.Post(), id, false).Body([]byte(old)).Do(t.Context()).Raw()
		if err != nil {
			t.Fatalf("%s: the older state: %v", c.Why, err)
		}
		out[id.String()] = a.request(t, a.rest.Put(), id, true).Body(following(t, object, stored)).Param("dryRun", "All").Do(t.Context()).Error()
		if err := a.request(t, a.rest.Delete(), id, true).Do(t.Context()).Error(); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// create is a dry run. A namespace that such an object asks for is made, where
// the name is one.
func (a admitter) create(t *testing.T, id identity, object []byte) error {
	t.Helper()
	try := func() error {
		return a.request(t, a.rest.Post(), id, false).Body(object).Param("dryRun", "All").Do(t.Context()).Error()
	}
	err := try()
	if apierrors.IsNotFound(err) && id.Metadata.Namespace != "" {
		namespace := fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": %q}}`, id.Metadata.Namespace)
		if a.rest.Post().AbsPath("/api/v1/namespaces").SetHeader("Content-Type", "application/json").Body(namespace).Do(t.Context()).Error() == nil {
			return try()
		}
	}
	return err
}

func (a admitter) request(t *testing.T, r *rest.Request, id identity, named bool) *rest.Request {
	t.Helper()
	r = r.Resource(resources[id.Kind]).SetHeader("Content-Type", "application/json").NamespaceIfScoped(id.Metadata.Namespace, id.Metadata.Namespace != "")
	if named {
		r = r.Name(id.Metadata.Name)
	}
	return r.Param("fieldValidation", "Strict")
}

// following is the object as an update of a stored one.
func following(t *testing.T, object, stored []byte) []byte {
	t.Helper()
	var was, now map[string]any
	if err := errors.Join(json.Unmarshal(stored, &was), json.Unmarshal(object, &now)); err != nil {
		t.Fatal(err)
	}
	now["metadata"].(map[string]any)["resourceVersion"] = was["metadata"].(map[string]any)["resourceVersion"]
	return []byte(mustJSON(t, now))
}

// documents are the objects of our kinds in a case, as JSON.
func documents(t *testing.T, c corpus.Case) map[identity]json.RawMessage {
	t.Helper()
	stream, err := c.Docs()
	if err != nil {
		t.Fatal(err)
	}
	out := map[identity]json.RawMessage{}
	for dec := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(stream), 4096); ; {
		var raw json.RawMessage
		if err := dec.Decode(&raw); errors.Is(err, io.EOF) {
			return out
		} else if err != nil {
			t.Fatal(err)
		}
		var id identity
		if err := json.Unmarshal(raw, &id); err == nil && resources[id.Kind] != "" {
			out[id] = raw
		}
	}
}
