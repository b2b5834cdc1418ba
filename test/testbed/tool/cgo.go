package tool

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// library is a library of C that a program links, statically: it then runs where
// the library is not installed.
type library struct {
	archive string // file name
	debian  string // the package that has it
}

var seccomp = library{archive: "libseccomp.a", debian: "libseccomp-dev"}

// missing names the Debian packages that a build with the library lacks here.
func (l library) missing() []string {
	var packages []string
	if _, err := exec.LookPath("pkg-config"); err != nil {
		packages = append(packages, "pkg-config")
	}
	if _, err := exec.LookPath("gcc"); err != nil {
		return append(packages, "gcc", "libc6-dev", l.debian)
	}
	for _, lib := range []library{{"libc.a", "libc6-dev"}, l} {
		// gcc answers with the bare name when it does not find the file.
		out, err := exec.Command("gcc", "-print-file-name="+lib.archive).Output()
		if err != nil || !filepath.IsAbs(strings.TrimSpace(string(out))) {
			packages = append(packages, lib.debian)
		}
	}
	return packages
}

// check returns an error that says what to install, or nil.
func (l library) check() error {
	if packages := l.missing(); len(packages) > 0 {
		return fmt.Errorf("part of it is C, and building that needs more: apt-get install %s", strings.Join(packages, " "))
	}
	return nil
}
