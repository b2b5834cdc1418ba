//go:build lab && linux

package teardown

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/process"
	"tsunaro.io/gateway/test/testbed/tap"
)

// start starts the minter. It asks the API server as often as it likes: dozens of
// gateways begin at once.
func (p *place) start() {
	p.Helper()
	kubeconfig := filepath.Join(p.dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, p.kubeconfig(), 0o600); err != nil {
		p.Fatal(err)
	}
	log := filepath.Join(p.dir, fmt.Sprintf("log-%d", len(p.logs)))
	m, err := process.StartApart(process.Command{
		Path: shared.minter, Dir: p.dir, Log: log, Env: []string{"HOME=" + p.dir, "KUBECONFIG=" + kubeconfig},
		Args: []string{"--namespace=" + p.namespace, "--metrics-addr=0", "--health-addr=0", "--kube-api-qps=1000", "--kube-api-burst=1000"},
	})
	if err != nil {
		p.Fatal(err)
	}
	p.minter, p.logs = m, append(p.logs, log)
}

func (p *place) kubeconfig() []byte {
	p.Helper()
	b, err := yaml.Marshal(labtest.Object{
		"apiVersion": "v1", "kind": "Config", "current-context": "tap",
		"clusters": []any{labtest.Object{"name": "tap", "cluster": labtest.Object{"server": p.apiServer}}},
		"contexts": []any{labtest.Object{"name": "tap", "context": labtest.Object{"cluster": "tap"}}},
	})
	if err != nil {
		p.Fatal(err)
	}
	return b
}

// kill ends the minter at once.
func (p *place) kill() { p.minter.Kill() }

// again starts another minter after the last one was killed by the tap.
func (p *place) again() {
	p.Helper()
	p.tap.Revive()
	p.start()
}

// judges puts a judge before each write of the minter's. Without one all pass.
func (p *place) judges(judge func(tap.Write) tap.Cut) { p.judge.Store(&judge) }

// said is everything that the minters have logged.
func (p *place) said() []byte {
	var all []byte
	for _, log := range p.logs {
		b, err := os.ReadFile(log)
		all = append(all, b...)
		if err != nil {
			all = append(all, err.Error()...)
		}
	}
	return all
}

// forbidden passes the minter's requests on, and writes down those that it had no
// right to send.
type forbidden struct {
	next http.RoundTripper
	mu   sync.Mutex
	list []string
}

// RoundTrip sends a request.
func (f *forbidden) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := f.next.RoundTrip(r)
	if err == nil && response.StatusCode == http.StatusForbidden {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.list = append(f.list, r.Method+" "+r.URL.Path)
	}
	return response, err
}

func (f *forbidden) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.list)
}
