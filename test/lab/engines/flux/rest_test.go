//go:build lab && linux

package flux

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// outcomes are what Flux says that it has done with the objects of a Kustomization
// since a time, each with how often.
func (p *pair) outcomes(kustomization string, since time.Time) map[string]int {
	p.Helper()
	text, err := os.ReadFile(p.fluxLog())
	if err != nil {
		p.Fatal(err)
	}
	all := map[string]int{}
	for line := range strings.Lines(string(text)) {
		var said struct {
			At     time.Time         `json:"ts"`
			Name   string            `json:"name"`
			Output map[string]string `json:"output"`
		}
		if json.Unmarshal([]byte(line), &said) == nil && said.Name == kustomization && said.At.After(since) {
			for object, outcome := range said.Output {
				all[outcome+" "+object]++
			}
		}
	}
	return all
}

// fluxLog is the file that kustomize-controller writes to.
func (p *pair) fluxLog() string {
	p.Helper()
	components, err := p.Lab.Components(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	for _, c := range components {
		if c.Name == "kustomize-controller" {
			return c.Log
		}
	}
	p.Fatal("kustomize-controller does not run")
	return ""
}

// quiet forces reconciliations of both Kustomizations, and fails if any of them writes
// something.
func (p *pair) quiet() {
	p.Helper()
	const times = 3
	before, since := p.all().Writes(), time.Now()
	for range times {
		p.forced(p.one)
		p.forced(p.two)
	}
	p.all().Unwritten(before)
	for _, k := range []string{p.one, p.two} {
		outcomes := p.outcomes(k, since)
		for outcome, n := range outcomes {
			if n < times || !strings.HasPrefix(outcome, "unchanged ") && outcome != "skipped ConfigMap/"+namespace+"/"+api.CoreDNSName(p.name) {
				p.Errorf("%s: %s, %d times", k, outcome, n)
			}
		}
		if len(outcomes) == 0 {
			p.Errorf("%s has done nothing since %s", k, since)
		}
	}
}

// rests is reconciled again and again: nothing is written. The zone changes twice, by a
// commit and by a person: the minter alone writes it. Nothing is written after the Pod
// has restarted, either.
//
// REQ: DL-07, RN-09
func (r *run) rests() {
	p := r.home
	p.shows(serving)
	p.quiet()

	before := p.all().Writes()
	p.git.Append(p.file("inputs/hosts.yaml"), "    192.168.10.9  scanner.lab.example\n")
	since := p.pushOnly("a host more")
	p.answers("scanner.lab.example", "192.168.10.9")
	p.showsSince(since, serving)
	p.quiet()
	p.Must(apiserver.Person, "", "annotate", "configmap", "tailnet-dns-hosts", "--namespace="+namespace, "kustomize.toolkit.fluxcd.io/reconcile=disabled")
	p.Must(apiserver.Person, "", "patch", "configmap", "tailnet-dns-hosts", "--namespace="+namespace, "--type=merge", `--patch={"data":{"hosts":"192.168.10.11 camera.lab.example\n"}}`)
	p.answers("camera.lab.example", "192.168.10.11")
	p.shows(serving)
	p.all().Unwritten(before, p.all().Zone())
	p.writtenByMinter()

	was := p.AwaitReady(namespace, p.name+"-0")
	before = p.all().Writes()
	p.Must(apiserver.Person, "", "delete", "pod", p.name+"-0", "--namespace="+namespace)
	p.replaced(was.UID)
	p.answers("camera.lab.example", "192.168.10.11")
	p.shows(serving)
	p.all().Unwritten(before)
	p.Must(apiserver.Person, "", "annotate", "configmap", "tailnet-dns-hosts", "--namespace="+namespace, "kustomize.toolkit.fluxcd.io/reconcile-")
	p.answers("scanner.lab.example", "192.168.10.9")
	p.shows(serving)
	p.quiet()
}

// writtenByMinter fails unless the minter alone has written the zone since its creation.
func (p *pair) writtenByMinter() {
	p.Helper()
	zone := p.all().Zone()
	var last metav1.ManagedFieldsEntry
	for _, m := range p.all().Nine()[zone].GetManagedFields() {
		if last.Time == nil || m.Time.After(last.Time.Time) {
			last = m
		}
	}
	if last.Manager != api.MinterName {
		p.Errorf("%s was last written by %s", zone, last.Manager)
	}
}

// replaced waits until the gateway's Pod is another one, and ready.
func (p *pair) replaced(was types.UID) {
	p.Helper()
	p.AwaitPod(namespace, p.name+"-0", "is another one, and ready", func(pod *corev1.Pod) error {
		if pod.UID == was {
			return errors.New("it is the same")
		}
		return labtest.Ready(pod)
	})
}
