package tool

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Path returns the absolute path of a pinned tool, of one of this module's own
// programs, or of busybox, for this machine. It builds the program first where the
// cache does not hold it, and says so on stderr. The error names the Debian
// packages that are missing.
func Path(name string) (string, error) {
	b, err := current()
	if err != nil {
		return "", err
	}
	if _, ok := own[name]; ok {
		return b.product(name, b.hostOS, b.hostArch)
	}
	if name == BusyboxName {
		return busybox(busyboxPath)
	}
	i := slices.IndexFunc(programs, func(p program) bool { return p.name == name })
	if i < 0 {
		return "", fmt.Errorf("no tool %q: test/tools has %s", name, strings.Join(Names(), ", "))
	}
	return b.tool(programs[i])
}

// Function returns the absolute path of the product's tsunaro-fn for the target,
// built from the sources as they are now.
func Function(goos, goarch string) (string, error) {
	b, err := current()
	if err != nil {
		return "", err
	}
	return b.product(FunctionName, goos, goarch)
}

// Names lists the pinned tools in order.
func Names() []string {
	names := make([]string, len(programs))
	for i, p := range programs {
		names[i] = p.name
	}
	return names
}

// Status is one line of List.
type Status struct {
	Name    string
	Version string // of the module that the program comes from; "" for our own source
	Built   bool
}

// List tells what is pinned and what the cache holds. It builds nothing.
func List() ([]Status, error) {
	b, err := current()
	if err != nil {
		return nil, err
	}
	var list []Status
	for _, p := range programs {
		r, err := b.toolRecipe(p)
		if err != nil {
			return nil, err
		}
		version, err := pinned(r.dir, p.pkg)
		if err != nil {
			return nil, err
		}
		path, err := b.path(r)
		if err != nil {
			return nil, err
		}
		_, err = os.Stat(path)
		list = append(list, Status{p.name, version, err == nil})
	}
	return list, nil
}

// current is the builder for the module that the process runs in.
var current = sync.OnceValues(func() (*builder, error) {
	out, err := run("", nil, "env", "GOMOD", "GOVERSION", "GOHOSTOS", "GOHOSTARCH")
	if err != nil {
		return nil, err
	}
	env := strings.Split(string(out), "\n")
	if filepath.Base(env[0]) != "go.mod" {
		return nil, fmt.Errorf("run this inside the source tree: no go.mod found from here upwards")
	}
	cache := os.Getenv("TSUNARO_CACHE")
	if cache == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("no cache directory (set TSUNARO_CACHE): %w", err)
		}
		cache = filepath.Join(user, "tsunaro-gateway")
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return nil, err
	}
	return &builder{
		root:      filepath.Dir(env[0]),
		cache:     filepath.Join(cache, "tools"),
		goVersion: env[1],
		hostOS:    env[2],
		hostArch:  env[3],
		log:       os.Stderr,
		live:      isTerminal(os.Stderr),
	}, nil
})

// pinned returns the version of the module in dir's go.mod that holds pkg.
func pinned(dir, pkg string) (string, error) {
	m, err := holder(dir, pkg)
	return m.Version, err
}

// module is a line of a go.mod.
type module struct{ Path, Version string }

// holder returns the module in dir's go.mod that holds pkg, the zero value if none does.
func holder(dir, pkg string) (found module, err error) {
	out, err := run(dir, nil, "mod", "edit", "-json")
	if err != nil {
		return module{}, err
	}
	var mod struct{ Require []module }
	if err := json.Unmarshal(out, &mod); err != nil {
		return module{}, err
	}
	for _, m := range mod.Require {
		if within(pkg, m.Path) && len(m.Path) > len(found.Path) {
			found = m
		}
	}
	return found, nil
}

func within(pkg, module string) bool {
	return pkg == module || strings.HasPrefix(pkg, module+"/")
}
