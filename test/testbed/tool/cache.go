package tool

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// unusedFor is how long a file that nobody asks for stays in the cache.
const unusedFor = 7 * 24 * time.Hour

// Keep returns the path of a file that tests make out of programs, such as a
// container image. It is kept like the programs: write runs once for a name and
// a key, and writes to the path that it is given. The key is a hash of all that decides
// the file's bytes; file is its name.
func Keep(name, file string, key [32]byte, write func(path string) error) (string, error) {
	b, err := current()
	if err != nil {
		return "", err
	}
	return b.keep(name, b.place(name, file, key), write)
}

// place is where the cache holds a file: in a directory named by its key, under
// its plain name, so that the directory can be put on a PATH.
func (b *builder) place(name, file string, key [32]byte) string {
	return filepath.Join(b.cache, name+"-"+hex.EncodeToString(key[:8]), file)
}

// keep makes sure that there is a file at path. It is written beside and renamed:
// path is a whole file or nothing.
func (b *builder) keep(name, path string, write func(part string) error) (string, error) {
	if used(path) {
		return path, nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	unlock, err := b.lock(name)
	if err != nil {
		return "", err
	}
	defer unlock()
	if used(path) { // made while this one waited for the lock
		return path, nil
	}
	part := path + ".part"
	if err := os.RemoveAll(part); err != nil { // of a process that was killed
		return "", err
	}
	if err := write(part); err != nil {
		return "", err
	}
	if err := os.Rename(part, path); err != nil {
		return "", err
	}
	return path, b.forget(name, path)
}

// lock holds the name against other processes and goroutines. The
// kernel releases it when the process ends, however it ends.
func (b *builder) lock(name string) (unlock func() error, err error) {
	f, err := os.OpenFile(filepath.Join(b.cache, name+".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	fd := int(f.Fd())
	if err := syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
		return f.Close, nil
	}
	fmt.Fprintf(b.log, "waiting for another process that builds %s\n", name)
	for {
		switch err := syscall.Flock(fd, syscall.LOCK_EX); {
		case err == nil:
			return f.Close, nil
		case !errors.Is(err, syscall.EINTR): // the Go runtime's own signals interrupt it
			return nil, errors.Join(fmt.Errorf("locking %s: %w", f.Name(), err), f.Close())
		}
	}
}

// used tells whether path is there, and notes the time of use for forget.
func used(path string) bool {
	if _, err := os.Stat(path); err != nil {
		return false
	}
	now := time.Now()
	// A cache that may only be read is as good; only forgetting needs the time.
	_ = os.Chtimes(filepath.Dir(path), now, now)
	return true
}

// forget removes the files of the name, but that at path, that nobody used for long.
func (b *builder) forget(name, path string) error {
	dirs, err := filepath.Glob(filepath.Join(b.cache, name+"-"+strings.Repeat("[0-9a-f]", 16)))
	if err != nil {
		return err
	}
	for _, dir := range dirs {
		info, err := os.Stat(dir)
		if err == nil && dir != filepath.Dir(path) && time.Since(info.ModTime()) > unusedFor {
			err = os.RemoveAll(dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
