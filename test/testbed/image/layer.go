package image

import (
	"archive/tar"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
)

// writeLayer writes the files as a tar archive, in the order of their paths, each
// after its directory.
func writeLayer(w io.Writer, files []File) error {
	files, err := arrange(files)
	if err != nil {
		return err
	}
	t := tar.NewWriter(w)
	for _, f := range files {
		if err := f.write(t); err != nil {
			return fmt.Errorf("%s: %w", f.Path, err)
		}
	}
	return t.Close()
}

// arrange sorts the files and adds the directories that have no entry.
func arrange(files []File) ([]File, error) {
	at := map[string]bool{"/": true}
	for _, f := range files {
		if !path.IsAbs(f.Path) || path.Clean(f.Path) != f.Path || at[f.Path] {
			return nil, fmt.Errorf("%q: not an absolute path in its shortest form, or there twice", f.Path)
		}
		at[f.Path] = true
	}
	all := slices.Clone(files)
	for _, f := range files {
		for dir := path.Dir(f.Path); !at[dir]; dir = path.Dir(dir) {
			at[dir] = true
			all = append(all, File{Path: dir, Mode: fs.ModeDir | 0o755})
		}
	}
	slices.SortFunc(all, func(a, b File) int { return cmp.Compare(a.Path, b.Path) })
	return all, nil
}

func (f File) write(t *tar.Writer) error {
	content, size, err := f.open()
	if err != nil {
		return err
	}
	defer content.Close()
	h := f.header()
	h.Size = size
	if err := t.WriteHeader(h); err != nil {
		return err
	}
	_, err = io.Copy(t, content)
	return err
}

func (f File) header() *tar.Header {
	h := &tar.Header{
		Name: f.Path[1:], Typeflag: tar.TypeReg, Mode: int64(f.Mode.Perm()),
		ModTime: epoch, Format: tar.FormatPAX,
	}
	if f.Mode&fs.ModeSticky != 0 {
		h.Mode |= 0o1000
	}
	switch {
	case f.Link != "":
		h.Typeflag, h.Linkname, h.Mode = tar.TypeSymlink, f.Link, 0o777
	case f.Mode.IsDir():
		h.Typeflag, h.Name = tar.TypeDir, h.Name+"/"
	}
	for name, value := range f.Xattrs {
		if h.PAXRecords == nil {
			h.PAXRecords = map[string]string{}
		}
		h.PAXRecords["SCHILY.xattr."+name] = string(value)
	}
	return h
}

// open returns what a regular file holds, and nothing for others.
func (f File) open() (content io.ReadCloser, size int64, err error) {
	if f.Source == "" {
		return io.NopCloser(bytes.NewReader(f.Content)), int64(len(f.Content)), nil
	}
	file, err := os.Open(f.Source)
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, err
	}
	return file, info.Size(), nil
}
