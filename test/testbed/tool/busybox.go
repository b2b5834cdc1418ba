package tool

import (
	"debug/elf"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// BusyboxName is the shell of the lab's images. It is not built: Path finds the
// one of Debian's package busybox-static.
const BusyboxName = "busybox"

const (
	busyboxPath    = "/bin/busybox"
	busyboxPackage = "busybox-static"
)

// busybox returns path if a static executable is there: an image holds no library.
func busybox(path string) (string, error) {
	f, err := elf.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("no %s: apt-get install %s", path, busyboxPackage)
	}
	if err != nil {
		return "", fmt.Errorf("reading %s: %w", path, err)
	}
	defer f.Close()
	if slices.ContainsFunc(f.Progs, func(p *elf.Prog) bool { return p.Type == elf.PT_INTERP }) {
		return "", fmt.Errorf("%s needs libraries: apt-get install %s", path, busyboxPackage)
	}
	return path, nil
}
