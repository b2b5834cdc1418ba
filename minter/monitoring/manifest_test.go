package monitoring

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/yaml"

	"tsunaro.io/gateway/test/testbed/tool"
)

// PrometheusRule is what is used of the operator's resource of that name.
type prometheusRule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		Groups []struct {
			Name  string `json:"name"`
			Rules []rule `json:"rules"`
		} `json:"groups"`
	} `json:"spec"`
}

type rule struct {
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

// podMonitor is what is used of the operator's resource of that name.
type podMonitor struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		JobLabel  string               `json:"jobLabel"`
		Selector  metav1.LabelSelector `json:"selector"`
		Endpoints []endpoint           `json:"podMetricsEndpoints"`
	} `json:"spec"`
}

type endpoint struct {
	Port        string `json:"port"`
	Relabelings []struct {
		SourceLabels []string `json:"sourceLabels"`
		TargetLabel  string   `json:"targetLabel"`
		Replacement  string   `json:"replacement"`
	} `json:"relabelings"`
}

// build is what kustomize makes of a directory, by Kind/name.
type build map[string]json.RawMessage

func kustomize(t *testing.T, dir string) build {
	t.Helper()
	program, err := tool.Path("kustomize")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "build", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("kustomize build %s: %v\n%s", dir, err, &stderr)
	}
	return documents(t, out)
}

func documents(t *testing.T, text []byte) build {
	t.Helper()
	b := build{}
	for dec := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096); ; {
		var raw json.RawMessage
		if err := dec.Decode(&raw); errors.Is(err, io.EOF) {
			return b
		} else if err != nil {
			t.Fatal(err)
		}
		var o metav1.PartialObjectMetadata
		if err := json.Unmarshal(raw, &o); err != nil {
			t.Fatal(err)
		}
		b[o.Kind+"/"+o.Name] = raw
	}
}

// get decodes an object; it has no field that into does not know.
func (b build) get(t *testing.T, name string, into any) {
	t.Helper()
	raw, ok := b[name]
	if !ok {
		t.Fatalf("no %s", name)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(into); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

func rules(t *testing.T) []rule {
	t.Helper()
	var p prometheusRule
	kustomize(t, ".").get(t, "PrometheusRule/tsunaro", &p)
	var all []rule
	for _, g := range p.Spec.Groups {
		all = append(all, g.Rules...)
	}
	if len(all) < 15 {
		t.Fatalf("%d alerts", len(all))
	}
	return all
}
