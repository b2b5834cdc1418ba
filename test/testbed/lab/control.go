package lab

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"

	"tsunaro.io/gateway/test/testbed/sandbox"
)

// control talks to the lab's socket.
type control struct{ client http.Client }

func newControl(dir string) *control {
	socket := filepath.Join(dir, socketName)
	return &control{http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", socket)
	}}}}
}

// call sends a request with a JSON body, unless in is nil, and decodes the answer
// into out, unless that is nil.
func (c *control) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://lab"+path, body)
	if err != nil {
		return err
	}
	response, err := c.client.Do(request)
	if err != nil {
		return fmt.Errorf("asking the lab: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		text, err := io.ReadAll(io.LimitReader(response.Body, 1<<16))
		return errors.Join(errors.New(strings.TrimSpace(string(text))), err)
	}
	if out == nil {
		return nil
	}
	return json.NewDecoder(response.Body).Decode(out)
}

// Components tells how the lab's components are.
func (l *Lab) Components(ctx context.Context) (list []Component, err error) {
	err = l.control.call(ctx, http.MethodGet, "/status", nil, &list)
	return list, err
}

// Memory is what the whole lab uses, in bytes: its processes, Pods and files in
// memory.
func (l *Lab) Memory() (int64, error) { return sandbox.Memory(l.Name) }

// Run runs a command inside and waits for its end. The error is for one that
// could not be run at all; one that failed has a code.
func (l *Lab) Run(ctx context.Context, c Command) (r Result, err error) {
	err = l.control.call(ctx, http.MethodPost, "/run", c, &r)
	return r, err
}

// Add runs a further program inside, as a component of a name of its own.
func (l *Lab) Add(ctx context.Context, name string, c Command) error {
	return l.control.call(ctx, http.MethodPut, "/components/"+name, c, nil)
}

// StartComponent starts one that was stopped or has ended.
func (l *Lab) StartComponent(ctx context.Context, name string) error {
	return l.control.call(ctx, http.MethodPost, "/components/"+name+"/start", nil, nil)
}

// StopComponent asks one to end, and waits for it.
func (l *Lab) StopComponent(ctx context.Context, name string) error {
	return l.control.call(ctx, http.MethodPost, "/components/"+name+"/stop", nil, nil)
}

// KillComponent ends one at once.
func (l *Lab) KillComponent(ctx context.Context, name string) error {
	return l.control.call(ctx, http.MethodPost, "/components/"+name+"/kill", nil, nil)
}
