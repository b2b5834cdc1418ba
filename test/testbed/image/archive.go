package image

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/distribution/reference"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// Annotations of the index: the name that containerd gives the image, and the tag
// for other programs.
const (
	imageName = "io.containerd.image.name"
	refName   = "org.opencontainers.image.ref.name"
)

// Write writes the image to path as an OCI image layout in a tar archive, which
// `ctr --namespace k8s.io images import` gives the name ref. That has a host, a
// repository and a tag, as a container runtime stores it.
func Write(path, ref string, spec Spec) (err error) {
	index, blobs, err := spec.image(ref)
	if err != nil {
		return fmt.Errorf("image %s: %w", ref, err)
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := writeArchive(f, index, blobs); err != nil {
		return fmt.Errorf("image %s: %w", ref, err)
	}
	return nil
}

// image returns the parts of the image: the index that names it, and all that the
// index leads to.
func (s Spec) image(ref string) (index blob, blobs []blob, err error) {
	tag, err := tagOf(ref)
	if err != nil {
		return blob{}, nil, err
	}
	layer, err := describe(types.OCIUncompressedLayer, func(w io.Writer) error { return writeLayer(w, s.Files) })
	if err != nil {
		return blob{}, nil, err
	}
	config, err := encode(types.OCIConfigJSON, s.config(layer.Digest))
	if err != nil {
		return blob{}, nil, err
	}
	manifest, err := encode(types.OCIManifestSchema1, v1.Manifest{
		SchemaVersion: 2, MediaType: types.OCIManifestSchema1,
		Config: config.Descriptor, Layers: []v1.Descriptor{layer.Descriptor},
	})
	if err != nil {
		return blob{}, nil, err
	}
	entry := manifest.Descriptor
	entry.Annotations = map[string]string{imageName: ref, refName: tag}
	entry.Platform = &v1.Platform{OS: "linux", Architecture: architecture}
	index, err = encode(types.OCIImageIndex, v1.IndexManifest{
		SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: []v1.Descriptor{entry},
	})
	return index, []blob{manifest, config, layer}, err
}

// config is the image's configuration around a layer that is not compressed: its
// digest is that of its files.
func (s Spec) config(layer v1.Hash) v1.ConfigFile {
	return v1.ConfigFile{
		OS: "linux", Architecture: architecture,
		Created: v1.Time{Time: epoch},
		RootFS:  v1.RootFS{Type: "layers", DiffIDs: []v1.Hash{layer}},
		Config:  v1.Config{Entrypoint: s.Entrypoint, Cmd: s.Cmd, Env: s.Env, User: s.User, WorkingDir: s.WorkingDir},
	}
}

// tagOf returns the tag of a reference that containerd would not write otherwise.
func tagOf(ref string) (string, error) {
	parsed, err := reference.ParseDockerRef(ref)
	if err != nil {
		return "", err
	}
	tagged, ok := parsed.(reference.Tagged)
	if !ok || parsed.String() != ref {
		return "", fmt.Errorf("want host/repository:tag, not %s", parsed)
	}
	return tagged.Tag(), nil
}

func writeArchive(w io.Writer, index blob, blobs []blob) error {
	t := tar.NewWriter(w)
	layout, err := encode("", map[string]string{"imageLayoutVersion": "1.0.0"})
	if err != nil {
		return err
	}
	if err := add(t, "oci-layout", layout); err != nil {
		return err
	}
	if err := add(t, "index.json", index); err != nil {
		return err
	}
	for _, b := range blobs {
		if err := add(t, "blobs/"+b.Digest.Algorithm+"/"+b.Digest.Hex, b); err != nil {
			return err
		}
	}
	return t.Close()
}

// add writes the blob under its name. A source that grew or shrank since the
// blob was described is an error.
func add(t *tar.Writer, name string, b blob) error {
	h := &tar.Header{Name: name, Typeflag: tar.TypeReg, Mode: 0o644, Size: b.Size, ModTime: epoch, Format: tar.FormatPAX}
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	return b.write(t)
}
