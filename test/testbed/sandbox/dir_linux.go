package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"time"
)

// root is the directory of all sandboxes of the user's cache. TSUNARO_CACHE
// moves it as it moves the tools.
func root() (string, error) {
	if cache := os.Getenv("TSUNARO_CACHE"); cache != "" {
		cache, err := filepath.Abs(cache)
		return filepath.Join(cache, "labs"), err
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "tsunaro-gateway", "labs"), err
}

// names are what a sandbox may be called: the name is part of a directory's and
// a cgroup's.
var names = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,29}$`)

// Dir is the directory of the sandbox of a name, which need not exist.
func Dir(name string) (string, error) {
	if !names.MatchString(name) {
		return "", fmt.Errorf("%q is no name for a lab: lower-case letters, digits and '-', at most 30", name)
	}
	root, err := root()
	return filepath.Join(root, name), err
}

// errInUse says that a sandbox of the name lives.
var errInUse = errors.New("a lab of this name is running")

// exclusively calls f while no other process makes, looks for or removes sandboxes:
// a directory that is locked meanwhile is a living sandbox's, and not just looked at.
// Functions that need this say so; they do not nest.
func exclusively(f func() error) (err error) {
	root, err := root()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	all, err := os.OpenFile(filepath.Join(root, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, all.Close()) }()
	for {
		switch err := syscall.Flock(int(all.Fd()), syscall.LOCK_EX); {
		case err == nil:
			return f()
		case !errors.Is(err, syscall.EINTR): // the Go runtime's own signals interrupt it
			return fmt.Errorf("locking %s: %w", all.Name(), err)
		}
	}
}

// claim makes the directory of a sandbox that does not live, and returns its
// locked file: who holds a descriptor of it is the sandbox's owner. It is called
// exclusively.
func claim(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return f, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = errInUse
	}
	return nil, errors.Join(err, f.Close())
}

// alive reports whether the sandbox of a directory has an owner. It is called
// exclusively.
func alive(dir string) (bool, error) {
	f, err := os.Open(filepath.Join(dir, "lock"))
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}

// Sweep removes what dead sandboxes left behind, and returns their names. Living
// ones are not touched.
func Sweep() (swept []string, err error) {
	root, err := root()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var errs []error
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		err := exclusively(func() error {
			done, err := sweep(filepath.Join(root, e.Name()))
			if done {
				swept = append(swept, e.Name())
			}
			return err
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("removing what is left of %s: %w", e.Name(), err))
		}
	}
	return swept, errors.Join(errs...)
}

// sweep removes a directory and what belongs to it; done is false for that of a
// living sandbox, and for none. It is called exclusively.
func sweep(dir string) (done bool, err error) {
	if _, err := os.Stat(dir); err != nil {
		if errors.Is(err, os.ErrNotExist) {
			err = nil
		}
		return false, err
	}
	lock, err := claim(dir)
	if errors.Is(err, errInUse) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer lock.Close()
	if err := removeGroups(filepath.Base(dir)); err != nil {
		return false, err
	}
	return true, os.RemoveAll(dir)
}

// patience is how long the kernel may take to end what a killed process held.
const patience = 20 * time.Second

// until polls a condition.
func until(what string, holds func() (bool, error)) error {
	for start := time.Now(); ; {
		ok, err := holds()
		if err != nil || ok {
			return err
		}
		if time.Since(start) > patience {
			return fmt.Errorf("not within %v: %s", patience, what)
		}
		<-time.After(20 * time.Millisecond)
	}
}
