package agreement

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/test/corpus"
)

// sparse leaves out everything that has a default.
var sparse = corpus.Case{Why: "sparse", Unset: []string{
	"gateway:spec.deletionPolicy", "gateway:spec.renderFormat", "gateway:spec.hostname", "gateway:spec.routes.advertiseEgressTargets",
	"gateway:spec.images", "gateway:spec.pod", "gateway:spec.stateSecretRef",
	"tailnet:spec.operatorNamespace", "tailnet:spec.apiURL", "tailnet:spec.caBundleConfigMapRef.key",
	"tailnet:spec.bootstrapSecretRef", "tailnet:spec.dns", "tailnet:spec.policy.mode", "tailnet:spec.policy.baseConfigMapRef.key",
}}

// What an API server fills in is what the renderer assumes: the CRs as they are
// in Git and as they are read back from a cluster render to the same bytes.
//
// REQ: CF-07, RN-01, RN-11
func TestDefaultsAreTheServers(t *testing.T) {
	input, err := sparse.Docs()
	if err != nil {
		t.Fatal(err)
	}
	var stored bytes.Buffer
	byKind, defaulted := servers(t), 0
	for _, object := range streamObjects(t, input) {
		if s := byKind[object["kind"].(string)]; s != nil {
			if problems := s.admit(object, nil); len(problems) > 0 {
				t.Fatal(problems)
			}
			defaulted++
		}
		b, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		stored.WriteString("---\n")
		stored.Write(b)
	}
	if defaulted != 3 {
		t.Fatalf("%d objects, want 3", defaulted)
	}
	if bytes.Contains(input, []byte("v1.102.4")) || !bytes.Contains(stored.Bytes(), []byte("v1.102.4")) {
		t.Fatal("the server filled in nothing")
	}
	fromGit, fromCluster := rendered(t, input), rendered(t, stored.Bytes())
	if strings.Count(fromGit, "\n") != objects.Count {
		t.Fatalf("not %d objects:\n%s", objects.Count, fromGit)
	}
	if fromGit != fromCluster {
		t.Errorf("from Git:\n%s\nfrom the cluster:\n%s", fromGit, fromCluster)
	}
}

func rendered(t *testing.T, input []byte) string {
	t.Helper()
	docs, findings := document.Parse("", input)
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	out, err := renderer.Render(docs)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, o := range out.Objects() {
		j, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&b, "%s\n", j)
	}
	return b.String()
}
