package coredns

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// TestVolume looks at a directory as the kubelet would leave it, after the first
// projection and after another.
func TestVolume(t *testing.T) {
	v := volume{dir: t.TempDir(), mode: 0o644, items: []Item{{"Corefile", "Corefile"}, {"zone.db", "zone.db"}}}
	var stamps []string
	for _, text := range []string{"one", "two"} {
		if err := v.write(map[string]string{"Corefile": text, "zone.db": text + " zone", "other": "not projected"}); err != nil {
			t.Fatal(err)
		}
		files := map[string]string{} // name: target
		entries, err := os.ReadDir(v.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			target, err := os.Readlink(filepath.Join(v.dir, e.Name()))
			if err == nil {
				files[e.Name()] = target
			}
		}
		stamps = append(stamps, files["..data"])
		want := map[string]string{"..data": files["..data"], "Corefile": "..data/Corefile", "zone.db": "..data/zone.db"}
		if !maps.Equal(files, want) || len(entries) != len(want)+1 || !strings.HasPrefix(files["..data"], "..2") {
			t.Errorf("links %v among %v", files, entries)
		}
		if got, err := os.ReadFile(filepath.Join(v.dir, "zone.db")); err != nil || string(got) != text+" zone" {
			t.Errorf("zone.db reads %q, %v", got, err)
		}
	}
	if slices.Contains(stamps[1:], stamps[0]) {
		t.Errorf("the second projection went into the first one's directory: %v", stamps)
	}
	if err := v.write(map[string]string{"Corefile": ""}); err == nil {
		t.Error("a ConfigMap without a projected key was projected")
	}
}

// TestRead refuses Pods whose server would not start or not see a change (B33).
func TestRead(t *testing.T) {
	const set = `{"spec":{"template":{"spec":{"volumes":[{"name":"config","configMap":{"name":"gw-coredns","defaultMode":420,"items":[{"key":"Corefile","path":"Corefile"}]}}],
		"containers":[{"name":"coredns","args":["-conf","Corefile"],"workingDir":"/etc/coredns","volumeMounts":[{"name":"config","mountPath":"/etc/coredns"}],
		"securityContext":{"runAsUser":65532,"runAsGroup":65532,"capabilities":{"add":["NET_BIND_SERVICE"]}}}]}}}}`
	for _, c := range []struct {
		why, from, to string
		ok            bool
	}{
		{"as rendered", "", "", true},
		{"a file of the volume", `"mountPath":"/etc/coredns"`, `"mountPath":"/etc/coredns","subPath":"zone.db"`, false},
		{"another directory", `"workingDir":"/etc/coredns"`, `"workingDir":"/"`, false},
		{"another volume", `"volumeMounts":[{"name":"config"`, `"volumeMounts":[{"name":"other"`, false},
		{"another ConfigMap", `"gw-coredns"`, `"gw"`, false},
		{"another container", `"name":"coredns"`, `"name":"dns"`, false},
		{"a command", `"args"`, `"command":["sh"],"args"`, false},
	} {
		r, err := Read(resources(strings.Replace(set, c.from, c.to, 1)))
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", c.why, err)
		}
		if c.ok && (r.UID != 65532 || !r.Bind || r.Mode != 0o644 || len(r.Keys) != 1 || r.Data["Corefile"] != "x") {
			t.Errorf("%s: %+v", c.why, r)
		}
	}
}

func resources(set string) []objects.Object {
	return []objects.Object{
		{Object: rules.Object{Kind: "ConfigMap", Name: "gw-coredns"}, JSON: []byte(`{"data":{"Corefile":"x"}}`)},
		{Object: rules.Object{Kind: "StatefulSet", Name: "gw"}, JSON: []byte(set)},
	}
}
