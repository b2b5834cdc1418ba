package image

import (
	"os"
	"testing"
	"time"
)

func TestKeyFollowsWhatDecidesTheBytes(t *testing.T) {
	key := func(ref string, s Spec) [32]byte {
		t.Helper()
		k, err := s.key(ref)
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	spec := func(file File) Spec { return Spec{Files: []File{file}} }
	path := source(t, "one", time.Now())
	file := File{Path: "/a", Source: path, Mode: 0o755}
	first := key(ref, spec(file))
	if elsewhere := (File{Path: "/a", Source: source(t, "one", time.Now()), Mode: 0o755}); key(ref, spec(elsewhere)) != first {
		t.Error("the same content at another place has another key")
	}
	others := map[string][32]byte{
		"another reference": key("registry.example/other:v1", spec(file)),
		"another mode":      key(ref, spec(File{Path: "/a", Source: path, Mode: 0o644})),
		"another path":      key(ref, spec(File{Path: "/b", Source: path, Mode: 0o755})),
		"an entrypoint":     key(ref, Spec{Files: []File{file}, Entrypoint: []string{"/a"}}),
	}
	if err := os.WriteFile(path, []byte("two"), 0o600); err != nil {
		t.Fatal(err)
	}
	others["another content"] = key(ref, spec(file))
	for why, k := range others {
		if k == first {
			t.Errorf("%s: the same key", why)
		}
	}
	if file.Source != path {
		t.Error("making the key changed the spec")
	}
}

func TestArchiveIsKept(t *testing.T) {
	t.Setenv("TSUNARO_CACHE", t.TempDir())
	spec := Spec{Files: []File{{Path: "/a", Content: []byte("a"), Mode: 0o644}}}
	first, err := Cached(ref, spec)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(first)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Cached(ref, spec)
	if err != nil || again != first {
		t.Fatalf("%s, then %s, %v", first, again, err)
	}
	if after, err := os.Stat(again); err != nil || !os.SameFile(before, after) {
		t.Errorf("it was written again: %v", err)
	}
}
