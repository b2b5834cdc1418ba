package image

import (
	"io/fs"
	"runtime"
	"time"
)

// Spec is an image of one layer, for Linux on this machine's processor. Entrypoint
// to WorkingDir are as in a Dockerfile.
type Spec struct {
	Files      []File
	Entrypoint []string
	Cmd        []string
	Env        []string // NAME=value
	User       string   // name or number, with :group; "" is root
	WorkingDir string   // "" is /
}

// File is a regular file, a directory or a symbolic link. It belongs to root. The
// directories on the way to it need no entry of their own; they have mode 0755.
type File struct {
	Path    string            // in the image, absolute
	Mode    fs.FileMode       // permissions; with fs.ModeDir a directory, with fs.ModeSticky one like /tmp
	Source  string            // the file of this machine that it is a copy of
	Content []byte            // or what it holds
	Link    string            // or what it is a symbolic link to
	Xattrs  map[string][]byte // extended attributes
}

const architecture = runtime.GOARCH

// epoch is the time of everything in an image: its content alone is its identity.
var epoch = time.Unix(0, 0).UTC()
