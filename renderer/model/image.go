package model

import (
	"regexp"
	"strings"
	"sync"
)

// The expressions are compiled on first use, not when the process starts.
var (
	imageName = sync.OnceValue(func() *regexp.Regexp {
		const (
			part  = `[a-z0-9]+((\.|_|__|-+)[a-z0-9]+)*`
			label = `[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?`
		)
		return regexp.MustCompile(`^(` + label + `(\.` + label + `)*(:[0-9]{1,5})?/)?` + part + `(/` + part + `)*$`)
	})
	imageTag    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$`) })
	fullVersion = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^v?[0-9]+\.[0-9]+(\.[0-9]+)+([-._][A-Za-z0-9._-]+)?$`)
	})
	imageDigest = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^sha256:[0-9a-f]{64}$`) })
)

// Image is an image reference that always means the same bytes, or at least one
// full version: name@sha256:digest (a tag before it is allowed), or name:tag
// with three numbers or more (CF-03).
type Image string

// maxImageName is what registries allow a name to have, in characters.
const maxImageName = 255

// ParseImage accepts a pinned image reference.
func ParseImage(s string) (Image, bool) {
	ref, digest, pinned := strings.Cut(s, "@")
	name, tag := ref, ""
	if i := strings.LastIndexByte(ref, ':'); i > strings.LastIndexByte(ref, '/') {
		name, tag = ref[:i], ref[i+1:]
		if !imageTag().MatchString(tag) {
			return "", false
		}
	}
	switch {
	case len(name) > maxImageName || !imageName().MatchString(name):
		return "", false
	case pinned:
		return Image(s), imageDigest().MatchString(digest)
	default:
		return Image(s), fullVersion().MatchString(tag)
	}
}
