package lab

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/headscale"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

// Version is the Kubernetes minor version that labs have.
const Version = "1.36"

// Files of a lab's directory.
const (
	socketName = "control.sock"
	specName   = "spec.json"
	outputName = "lab.log"
)

// Lab is a running lab.
type Lab struct {
	Name string
	Spec Spec

	// Access makes clients of the API server; nil without a control plane.
	Access *apiserver.Access
	// Tailnet is Headscale's command line and certificate; nil without one.
	Tailnet *headscale.Access

	sandbox *sandbox.Sandbox
	control *control
}

// Options are what a lab may be asked for.
type Options struct {
	Name   string // of the lab, one per machine and user; "" is one of the process's own
	Parts  []Part // with what they need; none is all
	Images []Image
	// Tell gets every step of the start, in order; it may be nil.
	Tell func(Event)
}

// Start builds what is missing, with progress on stderr, and starts a lab. It
// returns when all of it is ready. The lab ends with Stop, and with the calling
// process unless Detach was called.
func Start(ctx context.Context, o Options) (*Lab, error) {
	if o.Name == "" {
		o.Name = fmt.Sprintf("p%d", os.Getpid())
	}
	if _, err := sandbox.Sweep(); err != nil {
		return nil, err
	}
	spec := Spec{Name: o.Name, Parts: closure(o.Parts), Images: o.Images}
	self, err := build(&spec)
	if err != nil {
		return nil, err
	}
	return start(ctx, spec, self, o.Tell)
}

func start(ctx context.Context, spec Spec, self string, tell func(Event)) (l *Lab, err error) {
	box, err := sandbox.New(spec.Name)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			l, err = nil, errors.Join(err, box.Stop())
		}
	}()
	spec.Dir = box.Dir
	files, err := listeners(&spec)
	if err != nil {
		return nil, err
	}
	events, written, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer events.Close()
	if l, err = newLab(spec); err != nil {
		return nil, err
	}
	l.sandbox = box
	if err := launch(box, spec, self, append([]*os.File{written}, files...)); err != nil {
		return nil, err
	}
	return l, l.follow(ctx, events, tell)
}

// launch starts the sandbox, and closes the files here.
func launch(box *sandbox.Sandbox, spec Spec, self string, files []*os.File) error {
	out, err := os.Create(filepath.Join(spec.Dir, outputName))
	if err != nil {
		return err
	}
	defer out.Close()
	b, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	specFile := filepath.Join(spec.Dir, specName)
	if err := os.WriteFile(specFile, b, 0o600); err != nil {
		return err
	}
	err = box.Start(out, files, self, "inside", specFile)
	for _, f := range files {
		err = errors.Join(err, f.Close())
	}
	return err
}

// listeners opens what leads into the lab from the machine: its control socket,
// and a port of 127.0.0.1 for each server that one wants to reach.
func listeners(spec *Spec) (files []*os.File, err error) {
	add := func(network, address string) (net.Addr, error) {
		listener, err := net.Listen(network, address)
		if err != nil {
			return nil, err
		}
		if u, ok := listener.(*net.UnixListener); ok {
			u.SetUnlinkOnClose(false)
		}
		f, err := listener.(interface{ File() (*os.File, error) }).File()
		files = append(files, f)
		return listener.Addr(), errors.Join(err, listener.Close())
	}
	socket := filepath.Join(spec.Dir, socketName)
	if err := os.RemoveAll(socket); err != nil {
		return nil, err
	}
	if _, err := add("unix", socket); err != nil {
		return nil, err
	}
	for _, to := range []struct {
		part   Part
		inside string
		record *string
	}{
		{ControlPlane, net.JoinHostPort(NodeAddress, "6443"), &spec.APIOutside},
		{Headscale, net.JoinHostPort(HeadscaleAddress, "443"), &spec.HeadscaleOutside},
	} {
		if !spec.Has(to.part) {
			continue
		}
		address, err := add("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, err
		}
		*to.record = address.String()
		spec.Forwards = append(spec.Forwards, to.inside)
	}
	return files, nil
}

// newLab is the lab of a spec, as it is seen from outside.
func newLab(spec Spec) (l *Lab, err error) {
	l = &Lab{Name: spec.Name, Spec: spec, control: newControl(spec.Dir)}
	if spec.Has(ControlPlane) {
		l.Access, err = apiserver.OpenAccess(spec.Dir, spec.APIOutside, spec.Programs["kubectl"].Path)
	}
	if err != nil || !spec.Has(Headscale) {
		return l, err
	}
	l.Tailnet, err = headscale.Open(spec.HeadscaleOptions())
	return l, err
}

// Find returns the running lab of a name, or nil.
func Find(name string) (*Lab, error) {
	s, err := sandbox.Find(name)
	if err != nil || s == nil {
		return nil, err
	}
	b, err := os.ReadFile(filepath.Join(s.Dir, specName))
	if err != nil {
		return nil, err
	}
	var spec Spec
	if err := json.Unmarshal(b, &spec); err != nil {
		return nil, err
	}
	l, err := newLab(spec)
	if err != nil {
		return nil, err
	}
	l.sandbox = s
	return l, nil
}

// follow reads what the starting lab tells, until it is ready or has failed.
func (l *Lab) follow(ctx context.Context, events *os.File, tell func(Event)) error {
	stop := context.AfterFunc(ctx, func() { _ = events.Close() }) // ends the reading
	defer stop()
	failed := ""
	for lines := bufio.NewScanner(events); lines.Scan(); {
		var e Event
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		if tell != nil {
			tell(e)
		}
		switch {
		case e.Component == "" && e.State == "ready":
			return nil
		case e.State == "failed" && failed == "":
			failed = e.Component + ": " + e.Error
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed == "" {
		log, err := os.ReadFile(filepath.Join(l.Spec.Dir, outputName))
		failed = string(log)
		if err != nil {
			return err
		}
	}
	return fmt.Errorf("the lab does not start: %s", failed)
}

// Stop ends the lab and removes everything that it made.
func (l *Lab) Stop() error { return l.sandbox.Stop() }

// Detach lets the lab outlive this process.
func (l *Lab) Detach() error { return l.sandbox.Detach() }

// PID is the lab's first process, on the machine.
func (l *Lab) PID() int { return l.sandbox.PID }
