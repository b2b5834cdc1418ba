package image

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"path"
	"strings"

	"tsunaro.io/gateway/test/testbed/tool"
)

// format is part of every key: another number for another way of writing images.
const format = 1

// Cached returns the path of the image's archive, which the cache of the tools
// keeps for every lab that asks for the same. An image with something of one lab's
// own in it is better written into that lab's directory.
func Cached(ref string, spec Spec) (string, error) {
	key, err := spec.key(ref)
	if err != nil {
		return "", err
	}
	name, _, _ := strings.Cut(path.Base(ref), ":")
	return tool.Keep("image-"+name, "image.tar", key, func(path string) error { return Write(path, ref, spec) })
}

// key is a hash of all that decides the archive's bytes; a source counts by what it
// holds.
func (s Spec) key(ref string) ([32]byte, error) {
	files := make([]File, len(s.Files))
	sources := make([]string, len(s.Files))
	for i, f := range s.Files {
		if f.Source != "" {
			sum, err := f.sum()
			if err != nil {
				return [32]byte{}, err
			}
			f.Source, sources[i] = "", sum
		}
		files[i] = f
	}
	s.Files = files
	b, err := json.Marshal(struct {
		Format            int
		Ref, Architecture string
		Spec              Spec
		Sources           []string
	}{format, ref, architecture, s, sources})
	return sha256.Sum256(b), err
}

// sum is the hash of what the file holds.
func (f File) sum() (string, error) {
	content, _, err := f.open()
	if err != nil {
		return "", err
	}
	defer content.Close()
	h := sha256.New()
	if _, err := io.Copy(h, content); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
