package health

import (
	"maps"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/health/corpus"
	"tsunaro.io/gateway/renderer/api"
)

// actionTests are those of a kind, in Argo CD's own form.
type actionTests struct {
	Discovery []struct {
		Input  string `json:"inputPath"`
		Result []struct {
			Name        string `json:"name"`
			DisplayName string `json:"displayName"`
			Disabled    bool   `json:"disabled"`
		} `json:"result"`
	} `json:"discoveryTests"`
	Actions []struct {
		Action string `json:"action"`
		Input  string `json:"inputPath"`
		Output string `json:"expectedOutputPath"`
	} `json:"actionTests"`
}

// decoded is a YAML file below health as JSON has it.
func decoded[T any](t testing.TB, name string) T {
	t.Helper()
	var v T
	if err := yaml.UnmarshalStrict(read(t, name), &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// TestActions: what Argo CD's menu offers, and what comes of it. An action changes
// nothing but what it is for.
//
// REQ: ST-05
func TestActions(t *testing.T) {
	for kind, want := range map[string][]string{api.KindTailnetGateway: {"resume", "suspend", "verify"}, api.KindTailnet: {"verify"}} {
		dir := path.Join(corpus.Customizations, kind, "actions")
		tests := decoded[actionTests](t, path.Join(dir, "action_test.yaml"))
		discovery, tried := load(t, kind, "actions/discovery.lua"), map[string]bool{}
		for _, test := range tests.Discovery {
			menu := map[string]any{}
			for _, r := range test.Result {
				menu[r.Name] = map[string]any{"disabled": r.Disabled}
				if r.DisplayName != "" {
					menu[r.Name].(map[string]any)["displayName"] = r.DisplayName
				}
			}
			got, err := discovery.run(decoded[map[string]any](t, path.Join(dir, test.Input)))
			if err != nil || !reflect.DeepEqual(withDisabled(got), menu) {
				t.Errorf("%s: %s: %v %v, want %v", kind, test.Input, got, err, menu)
			}
		}
		for _, test := range tests.Actions {
			tried[test.Action] = true
			got, err := load(t, kind, "actions/"+test.Action+"/action.lua").run(decoded[map[string]any](t, path.Join(dir, test.Input)))
			expected := decoded[map[string]any](t, path.Join(dir, test.Output))
			metadata := expected["metadata"].(map[string]any)
			if annotations, ok := metadata["annotations"].(map[string]any); ok { // the files stand at year one, as Argo CD's own do
				annotations[api.AnnotationRequestedAt] = now.Format(time.RFC3339)
			}
			if err != nil || !reflect.DeepEqual(got, expected) {
				t.Errorf("%s: %s: %v %v, want %v", kind, test.Action, got, err, expected)
			}
		}
		if got := slices.Sorted(maps.Keys(tried)); !slices.Equal(got, want) || len(tests.Discovery) == 0 {
			t.Errorf("%s: the actions %v are tested, want %v", kind, got, want)
		}
		scripts, err := filepath.Glob(filepath.Join(root, dir, "*", "action.lua"))
		if err != nil || len(scripts) != len(want) {
			t.Errorf("%s: %v %v, want %d scripts", kind, scripts, err, len(want))
		}
	}
}

// withDisabled says of each action of a menu whether it is disabled.
func withDisabled(menu any) any {
	actions, _ := menu.(map[string]any)
	for _, a := range actions {
		if a, ok := a.(map[string]any); ok && a["disabled"] == nil {
			a["disabled"] = false
		}
	}
	return menu
}

// TestArgoCDOwnForm: the tests of the health scripts are in the form, and in the
// place, that Argo CD's own tree has them in.
func TestArgoCDOwnForm(t *testing.T) {
	type tests struct {
		Tests []struct {
			Input  string `json:"inputPath"`
			Health struct {
				Status  string `json:"status"`
				Message string `json:"message"`
			} `json:"healthStatus"`
		} `json:"tests"`
	}
	for _, kind := range []string{api.KindTailnetGateway, api.KindTailnet} {
		dir := path.Join(corpus.Customizations, kind)
		script := load(t, kind, "health.lua")
		for _, test := range decoded[tests](t, path.Join(dir, "health_test.yaml")).Tests {
			got, err := script.run(decoded[map[string]any](t, path.Join(dir, test.Input)))
			if want := map[string]any{"status": test.Health.Status, "message": test.Health.Message}; err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %v %v, want %v", test.Input, got, err, want)
			}
		}
	}
}
