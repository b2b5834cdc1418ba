package image

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"testing"
	"time"
)

func TestLayer(t *testing.T) {
	files := []File{
		{Path: "/usr/bin/thing", Source: source(t, "binary", time.Now()), Mode: 0o755, Xattrs: map[string][]byte{"security.capability": {0, 1}}},
		{Path: "/tmp", Mode: fs.ModeDir | fs.ModeSticky | 0o777},
		{Path: "/etc/conf", Content: []byte("a=b"), Mode: 0o600},
		{Path: "/etc/link", Link: "conf"},
		{Path: "/usr", Mode: fs.ModeDir | 0o711},
	}
	want := []string{
		"etc/ 755", "etc/conf 600 a=b", "etc/link -> conf", "tmp/ 1777",
		"usr/ 711", "usr/bin/ 755", `usr/bin/thing 755 binary "\x00\x01"`,
	}
	var layer bytes.Buffer
	if err := writeLayer(&layer, files); err != nil {
		t.Fatal(err)
	}
	if got := entries(t, &layer); !slices.Equal(got, want) {
		t.Errorf("got\n%q, want\n%q", got, want)
	}
}

// entries describes each entry of a tar archive in a line.
func entries(t *testing.T, r io.Reader) (lines []string) {
	t.Helper()
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || !h.ModTime.Equal(epoch) {
			t.Errorf("%s: owner %d:%d, time %v", h.Name, h.Uid, h.Gid, h.ModTime)
		}
		content, err := io.ReadAll(tr)
		if err != nil {
			t.Fatal(err)
		}
		line := fmt.Sprintf("%s %o", h.Name, h.Mode)
		if len(content) > 0 {
			line += " " + string(content)
		}
		if h.Typeflag == tar.TypeSymlink {
			line = h.Name + " -> " + h.Linkname
		}
		if x, ok := h.PAXRecords["SCHILY.xattr.security.capability"]; ok {
			line += fmt.Sprintf(" %q", x)
		}
		lines = append(lines, line)
	}
}
