//go:build lab && linux

package teardown

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// tailscales bounds how many of Tailscale's daemons run at the same time.
var tailscales = make(chan struct{}, 4)

// join makes for each gateway, with the key that was minted for it, the node that its
// Pod would have made, and puts the state of that node where the Pod would have. The
// nodes are offline then, so that the minter leaves the keys alive.
func (p *place) join(gs ...*gateway) {
	p.Helper()
	states := make([]map[string][]byte, len(gs))
	errs := make([]error, len(gs))
	var wg sync.WaitGroup
	for i, g := range gs {
		wg.Go(func() { states[i], errs[i] = g.register(p.Context()) })
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		p.Fatal(err)
	}
	for i, g := range gs {
		g.Await("the node of "+g.name+" is offline", func(ctx context.Context) error {
			n, err := g.seen(ctx)
			if err == nil && n.Online {
				err = errors.New("it is online")
			}
			return err
		})
		g.fill(states[i])
	}
	for _, g := range gs { // whatever there is to say about it is said then
		g.wake()
		g.Await("the minter has seen the node of "+g.name, func(context.Context) error {
			if c := apimeta.FindStatusCondition(g.cr().Status.Conditions, api.ConditionRegistered); c == nil || c.Reason != api.ReasonNodeRegistered {
				return fmt.Errorf("it says %v", c)
			}
			return nil
		})
	}
}

// sight is Headscale's list of nodes as all who wait for one see it: every request
// costs Headscale the check of a key, which is slow on purpose.
var sight struct {
	mu    sync.Mutex
	at    time.Time
	nodes []labtest.Node
	err   error
}

// seen is the gateway's node as it was a moment ago.
func (g *gateway) seen(ctx context.Context) (labtest.Node, error) {
	sight.mu.Lock()
	defer sight.mu.Unlock()
	const moment = time.Second
	if time.Since(sight.at) > moment {
		sight.nodes, sight.err = shared.headscale.Nodes(ctx)
		sight.at = time.Now()
	}
	for _, n := range sight.nodes {
		if n.GivenName == g.name {
			return n, sight.err
		}
	}
	return labtest.Node{}, errors.Join(sight.err, errors.New("there is none"))
}

// register runs Tailscale once, until it is in the tailnet and has its state written
// down, which is returned as the data of a Secret.
func (g *gateway) register(ctx context.Context) (state map[string][]byte, err error) {
	tailscales <- struct{}{}
	defer func() { <-tailscales }()
	var auth corev1.Secret
	if found, err := g.Find(ctx, api.AuthSecretName(g.name), &auth); err != nil || !found {
		return nil, fmt.Errorf("the auth Secret of %s: found %t, %w", g.name, found, err)
	}
	g.key = node.ID(auth.Annotations[api.AnnotationKeyID])
	command, file, err := g.tailscale(string(auth.Data[api.AuthSecretKey]))
	if err != nil {
		return nil, err
	}
	run, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		r, err := g.Lab.Run(run, command)
		ended <- fmt.Errorf("tailscaled has ended: %v, %s", err, r.Stderr)
	}()
	joined := poll(ctx, func() bool {
		state, err = g.joined(ctx, file)
		return err == nil || len(ended) > 0
	})
	end()
	if stopped := <-ended; !joined || err != nil {
		return nil, errors.Join(err, stopped)
	}
	return state, nil
}

// tailscale is the daemon, as it is told by a file to join with a key, and the file
// that it keeps its state in. It makes no interface.
func (g *gateway) tailscale(key string) (command lab.Command, state string, err error) {
	dir := filepath.Join(g.Lab.Spec.Dir, "nodes", g.name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return command, "", err
	}
	config, err := json.Marshal(labtest.Object{
		"version": "alpha0", "ServerURL": lab.HeadscaleURL, "AuthKey": key, "Hostname": g.name, "acceptDNS": false, "acceptRoutes": false,
	})
	if err != nil {
		return command, "", err
	}
	conf, state := filepath.Join(dir, "config"), filepath.Join(dir, "state")
	if err := os.WriteFile(conf, config, 0o600); err != nil {
		return command, "", err
	}
	return lab.Command{
		Args: []string{
			shared.tailscale, "--no-logs-no-support", "--tun=userspace-networking", "--port=0", "--config=" + conf,
			"--statedir=" + dir, "--state=" + state, "--socket=" + filepath.Join(dir, "socket"),
		},
		Env: []string{"SSL_CERT_FILE=" + filepath.Join(g.Lab.Spec.HeadscaleOptions().Dir, "tls.crt"), "TS_NO_LOGS_NO_SUPPORT=true"},
	}, state, nil
}

// joined is the state in a file, once it proves the gateway's node.
func (g *gateway) joined(ctx context.Context, file string) (state map[string][]byte, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(b, &state); err != nil {
		return nil, err
	}
	s, err := proof.Read(state)
	if err != nil {
		return nil, err
	}
	n, err := g.seen(ctx)
	switch {
	case err == nil && n.NodeKey != s.Node:
		err = errors.New("the state is another node's")
	case err == nil && !n.Online: // or it would be later
		err = errors.New("it is not online yet")
	}
	g.node = node.ID(n.ID)
	state["device_id"] = []byte(n.ID) // as containerboot writes it
	return state, err
}

// fill writes the state of the node, and has the status remember its ID, as it would
// had the node been online with its Pod.
func (g *gateway) fill(state map[string][]byte) {
	g.Helper()
	var s corev1.Secret
	if _, err := g.Find(g.Context(), api.StateSecretName(g.name), &s); err != nil {
		g.Fatal(err)
	}
	s.Data = state
	if err := shared.admin.Update(g.Context(), &s); err != nil {
		g.Fatal(err)
	}
	g.Await("the status of "+g.name+" has the node", func(ctx context.Context) error {
		cr := g.cr()
		cr.Status.NodeID = string(g.node)
		return shared.admin.Status().Update(ctx, cr)
	})
}
