package commandline

import (
	"runtime"
	"runtime/debug"

	"tsunaro.io/gateway/renderer/api"
)

// Version is what a program says of itself.
type Version struct {
	Version  string `json:"version"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
	API      string `json:"api"`
}

// ThisVersion is that of the running program: (devel) where it was built in its
// source tree.
func ThisVersion() Version {
	v := Version{"(devel)", runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH, api.APIVersion}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		v.Version = info.Main.Version
	}
	return v
}

// String is the version, the toolchain and the API on one line.
func (v Version) String() string {
	return v.Version + " (" + v.Go + ", " + v.Platform + "), API " + v.API
}
