package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const ref = "registry.example/group/thing:v1.2.3"

func write(t *testing.T, ref string, spec Spec) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "image.tar")
	if err := Write(path, ref, spec); err != nil {
		t.Fatal(err)
	}
	return path
}

// source is a file of this machine, last changed at the time.
func source(t *testing.T, content string, changed time.Time) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "source")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, changed, changed); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSameImageSameBytes(t *testing.T) {
	spec := func(changed time.Time, order ...int) Spec {
		files := []File{
			{Path: "/bin/thing", Source: source(t, "binary", changed), Mode: 0o755},
			{Path: "/bin/link", Link: "thing"},
			{Path: "/etc/thing.conf", Content: []byte("a=b\n"), Mode: 0o644, Xattrs: map[string][]byte{"user.b": {0}, "user.a": {1}}},
		}
		var s Spec
		for _, i := range order {
			s.Files = append(s.Files, files[i])
		}
		return s
	}
	one := write(t, ref, spec(time.Now(), 0, 1, 2))
	two := write(t, ref, spec(time.Now().Add(-time.Hour), 2, 1, 0))
	a, errA := os.ReadFile(one)
	b, errB := os.ReadFile(two)
	if err := errors.Join(errA, errB); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("another time and order of the files gave other bytes")
	}
}

func TestArchiveIsALayout(t *testing.T) {
	spec := Spec{
		Files:      []File{{Path: "/thing", Source: source(t, "binary", time.Now()), Mode: 0o755}},
		Entrypoint: []string{"/thing"}, Cmd: []string{"serve"}, Env: []string{"A=b"}, User: "65532:65532", WorkingDir: "/srv",
	}
	l := unpack(t, write(t, ref, spec))
	if got := string(l["oci-layout"]); got != `{"imageLayoutVersion":"1.0.0"}` {
		t.Errorf("oci-layout %s", got)
	}
	index := parse(t, l["index.json"], v1.ParseIndexManifest)
	if len(index.Manifests) != 1 {
		t.Fatalf("%d images, want one", len(index.Manifests))
	}
	entry := index.Manifests[0]
	if entry.Annotations[imageName] != ref || entry.Annotations[refName] != "v1.2.3" {
		t.Errorf("annotations %v", entry.Annotations)
	}
	if entry.Platform.String() != "linux/"+architecture {
		t.Errorf("for %s", entry.Platform)
	}
	manifest := parse(t, l.blob(t, entry), v1.ParseManifest)
	config := parse(t, l.blob(t, manifest.Config), v1.ParseConfigFile)
	if len(manifest.Layers) != 1 || !slices.Equal(config.RootFS.DiffIDs, []v1.Hash{manifest.Layers[0].Digest}) {
		t.Errorf("layers %v, their files %v", manifest.Layers, config.RootFS.DiffIDs)
	}
	if got := entries(t, bytes.NewReader(l.blob(t, manifest.Layers[0]))); !slices.Equal(got, []string{"thing 755 binary"}) {
		t.Errorf("files %q", got)
	}
	c := config.Config
	got := slices.Concat(c.Entrypoint, c.Cmd, c.Env, []string{c.User, c.WorkingDir, config.OS, config.Architecture})
	if want := []string{"/thing", "serve", "A=b", "65532:65532", "/srv", "linux", architecture}; !slices.Equal(got, want) {
		t.Errorf("configuration %q, want %q", got, want)
	}
}

// archive is the content of an archive's files by name.
type archive map[string][]byte

func unpack(t *testing.T, path string) archive {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	files := archive{}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// blob returns what the descriptor leads to.
func (a archive) blob(t *testing.T, d v1.Descriptor) []byte {
	t.Helper()
	content := a["blobs/sha256/"+d.Digest.Hex]
	digest, size, err := v1.SHA256(bytes.NewReader(content))
	if err != nil || digest != d.Digest || size != d.Size {
		t.Fatalf("%s: %s, %d bytes, want %s, %d (%v)", d.MediaType, digest, size, d.Digest, d.Size, err)
	}
	return content
}

func parse[T any](t *testing.T, document []byte, parse func(io.Reader) (*T, error)) *T {
	t.Helper()
	v, err := parse(bytes.NewReader(document))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestRefusedImages(t *testing.T) {
	file := File{Path: "/a", Content: []byte("a"), Mode: 0o644}
	for _, c := range []struct {
		why, ref string
		files    []File
		want     string
	}{
		{"containerd would call it docker.io/library/thing:v1", "thing:v1", nil, "docker.io/library/thing:v1"},
		{"a Pod would ask for :latest", "registry.example/thing", nil, "registry.example/thing:latest"},
		{"the digest is that of another image", "registry.example/thing@sha256:" + strings.Repeat("0", 64), nil, "host/repository:tag"},
		{"no reference", "No Reference", nil, "invalid reference"},
		{"a relative path", ref, []File{{Path: "a"}}, `"a"`},
		{"a path that leaves its directory", ref, []File{{Path: "/a/../b"}}, `"/a/../b"`},
		{"one path twice", ref, []File{file, file}, `"/a"`},
		{"no source", ref, []File{{Path: "/a", Source: "/nonexistent/source"}}, "/nonexistent/source"},
	} {
		path := filepath.Join(t.TempDir(), "image.tar")
		if err := Write(path, c.ref, Spec{Files: c.files}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q in it", c.why, err, c.want)
		}
		if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: left a file: %v", c.why, err)
		}
	}
}
