package inside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/headscale"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

// binDir holds the lab's programs under their plain names.
const binDir = sandbox.Work + "/bin"

// Lab is the lab that this process runs.
type Lab struct {
	spec    lab.Spec
	access  *apiserver.Access // to the control plane
	tailnet *headscale.Access

	mu        sync.Mutex
	processes []*process
	steps     []step
}

// startLimit is how long everything may take to be ready, on a slow machine that
// builds something else at the same time.
const startLimit = 5 * time.Minute

// Run runs a lab until the process is killed. Descriptors are, from
// sandbox.FirstFD on: where to write events, the control listener, and a
// listener for each of the spec's Forwards.
func Run(specFile string) error {
	b, err := os.ReadFile(specFile)
	if err != nil {
		return err
	}
	l := &Lab{}
	if err := json.Unmarshal(b, &l.spec); err != nil {
		return err
	}
	events := os.NewFile(sandbox.FirstFD, "events")
	control, err := listener(sandbox.FirstFD + 1)
	if err != nil {
		return err
	}
	for i, to := range l.spec.Forwards {
		from, err := listener(sandbox.FirstFD + 2 + i)
		if err != nil {
			return err
		}
		go forward(from, to)
	}
	served := make(chan error, 1)
	go func() { served <- (&http.Server{Handler: l.handler(), ReadHeaderTimeout: time.Minute}).Serve(control) }()

	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	var mu sync.Mutex
	tell := func(e lab.Event) {
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(events).Encode(e) // whoever started the lab may not want to know
	}
	if err := l.start(ctx, tell); err != nil {
		return err
	}
	if err := events.Close(); err != nil {
		return err
	}
	return <-served
}

func listener(fd int) (net.Listener, error) {
	f := os.NewFile(uintptr(fd), "listener")
	defer f.Close()
	return net.FileListener(f)
}

// start brings everything up.
func (l *Lab) start(ctx context.Context, tell func(lab.Event)) error {
	if err := l.prepare(); err != nil {
		return err
	}
	l.step("network", l.networks)
	plans := map[lab.Part]func() error{
		lab.ControlPlane: l.controlPlane, lab.Node: l.node, lab.Headscale: l.headscale, lab.LAN: l.lan, lab.Laptop: l.laptop,
		lab.Git: l.git, lab.Flux: l.flux, lab.ArgoCD: l.argoCD,
	}
	for _, part := range l.spec.Parts { // in their order: the later ones use what the earlier ones have opened
		if err := plans[part](); err != nil {
			return err
		}
	}
	return runSteps(ctx, l.steps, tell)
}

// step plans something to do; what it needs must be planned as well.
func (l *Lab) step(name string, do func(context.Context) error, needs ...string) {
	l.steps = append(l.steps, step{name, needs, do})
}

// prepare makes directories and puts the programs where PATH finds them.
func (l *Lab) prepare() error {
	for _, dir := range []string{binDir, filepath.Join(l.spec.Dir, "logs"), filepath.Dir(laptopSocket)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	for name, p := range l.spec.Programs {
		if err := os.Symlink(p.Path, filepath.Join(binDir, name)); err != nil {
			return err
		}
	}
	if err := os.Setenv("PATH", strings.TrimPrefix(environment()[0], "PATH=")); err != nil {
		return err
	}
	if err := setHostname(lab.NodeName); err != nil {
		return err
	}
	return l.names()
}

// serve plans a process that runs from then on, and is ready when it says so.
func (l *Lab) serve(name, address string, make func() *exec.Cmd, ready func(context.Context) error, needs ...string) {
	p := l.add(name, address, make)
	l.step(name, func(ctx context.Context) error {
		if err := p.start(); err != nil {
			return err
		}
		return p.await(ctx, ready)
	}, needs...)
}

// answers is ready when a URL gives a success.
func answers(client *http.Client, url string) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		if err := response.Body.Close(); err != nil {
			return err
		}
		if response.StatusCode != http.StatusOK {
			return errors.New(response.Status)
		}
		return nil
	}
}

// write writes a file of the lab, and returns its path.
func (l *Lab) write(name string, content []byte) (string, error) {
	path := filepath.Join(sandbox.Work, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", fmt.Errorf("writing a file of the lab: %w", err)
	}
	return path, nil
}
