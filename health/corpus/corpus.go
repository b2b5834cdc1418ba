package corpus

import (
	"fmt"
	"io/fs"
	"path"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/renderer/api"
)

// Customizations is the directory, below health, of Argo CD's scripts and their
// testdata.
const Customizations = "argocd/resource_customizations/" + api.Group

// Origins of a state.
const (
	Recorded = "recorded"
	Reported = "reported"
	Made     = "made"
)

// State is one state with what is expected of it.
type State struct {
	File    string `json:"file"` // Kind/name.yaml
	From    string `json:"from"` // an origin
	Why     string `json:"why"`
	Health  string `json:"health"`
	Message string `json:"message"`
	KStatus string `json:"kstatus"`
	Bound   string `json:"bound,omitempty"` // of a TailnetGateway only
	Flux    string `json:"flux,omitempty"`

	Object *unstructured.Unstructured `json:"-"`
}

// Kind is the kind of the state's object.
func (s State) Kind() string { return path.Dir(s.File) }

// Input is the path of the object, relative to its kind's scripts.
func (s State) Input() string { return "testdata/" + path.Base(s.File) }

// ArgoCD is the health that Argo CD shows: of what is being deleted it asks no script.
func (s State) ArgoCD() string {
	if s.Object.GetDeletionTimestamp() != nil {
		return string(api.Progressing)
	}
	return s.Health
}

// flux is what a health is to Flux.
var flux = map[string]string{
	string(api.Healthy): "Current", string(api.Suspended): "Current",
	string(api.Progressing): "InProgress", string(api.Degraded): "Failed",
}

// Read reads the corpus from the directory health. Every file of testdata is a state.
func Read(health fs.FS) ([]State, error) {
	text, err := fs.ReadFile(health, "corpus/states.yaml")
	if err != nil {
		return nil, err
	}
	var states []State
	if err := yaml.UnmarshalStrict(text, &states); err != nil {
		return nil, fmt.Errorf("states.yaml: %w", err)
	}
	known := map[string]bool{}
	for i := range states {
		s := &states[i]
		if s.Flux == "" {
			s.Flux = flux[s.Health]
		}
		name := path.Join(Customizations, s.Kind(), s.Input())
		if known[name] {
			return nil, fmt.Errorf("%s is listed twice", s.File)
		}
		known[name] = true
		if s.Object, err = object(health, name); err != nil {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
	}
	return states, complete(health, known)
}

func object(health fs.FS, name string) (*unstructured.Unstructured, error) {
	text, err := fs.ReadFile(health, name)
	if err != nil {
		return nil, err
	}
	data, err := yaml.YAMLToJSON(text)
	if err != nil {
		return nil, err
	}
	u := &unstructured.Unstructured{}
	return u, u.UnmarshalJSON(data)
}

// complete refuses a file that no state is about.
func complete(health fs.FS, known map[string]bool) error {
	names, err := fs.Glob(health, Customizations+"/*/testdata/*")
	if err != nil {
		return err
	}
	for _, name := range names {
		if !known[name] {
			return fmt.Errorf("%s is not in states.yaml", name)
		}
	}
	return nil
}
