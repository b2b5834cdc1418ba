package coredns

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// volume is a ConfigMap volume as the kubelet writes it: the files in a directory
// named by the time, `..data` a link to it, and each file a link through `..data`.
// A change is a new directory and one rename of the link, so a reader sees the
// old files or the new ones.
type volume struct {
	dir   string
	mode  fs.FileMode
	items []Item
}

func (v volume) link() string { return filepath.Join(v.dir, "..data") }

// write projects data: the first time, or instead of what is there.
func (v volume) write(data map[string]string) error {
	stamped, err := os.MkdirTemp(v.dir, time.Now().UTC().Format("..2006_01_02_15_04_05."))
	if err != nil {
		return err
	}
	if err := os.Chmod(stamped, 0o755); err != nil {
		return err
	}
	for _, item := range v.items {
		text, ok := data[item.Key]
		if !ok {
			return fmt.Errorf("the ConfigMap has no key %q: the kubelet would not start the Pod", item.Key)
		}
		if err := os.WriteFile(filepath.Join(stamped, item.Path), []byte(text), v.mode); err != nil {
			return err
		}
	}
	old, err := os.Readlink(v.link())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	first := err != nil
	next := filepath.Join(v.dir, "..data_tmp")
	if err := os.Symlink(filepath.Base(stamped), next); err != nil {
		return err
	}
	if err := os.Rename(next, v.link()); err != nil {
		return err
	}
	if !first {
		return os.RemoveAll(filepath.Join(v.dir, old))
	}
	for _, item := range v.items {
		if err := os.Symlink(filepath.Join("..data", item.Path), filepath.Join(v.dir, item.Path)); err != nil {
			return err
		}
	}
	return nil
}
