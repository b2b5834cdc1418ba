//go:build lab && linux

package flux

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// forces renders by hand what no server, or no policy, lets change. Flux leaves the
// objects alone, as all nine tell it to, unless its Kustomization is told to force: then
// it deletes what the server itself does not let change, and nothing may create it
// again. (B15)
//
// REQ: RN-09, UP-11
func (r *run) forces() {
	p := r.attic
	file := p.file("rendered/" + p.name + ".yaml")
	before, as := p.uids(), p.git.Read(file)
	same := func() {
		r.Helper()
		for key, uid := range p.uids() {
			if uid != before[key] {
				r.Errorf("%s is another one", key)
			}
		}
	}
	serviceName := func() {
		p.git.Write(file, as)
		p.git.Edit(file, "  serviceName: "+p.name+"\n", "  serviceName: elsewhere\n")
	}
	serviceName()
	p.showsSince(p.pushOnly("another serviceName"), pinned)
	same()

	p.git.Write(file, as)
	p.git.Edit(file, "  replicas: 1\n", "  replicas: 1\n  minReadySeconds: 1\n")
	r.Must(apiserver.Person, "", "patch", "kustomization", p.two, "--namespace="+namespace, "--type=merge", `--patch={"spec":{"force":true}}`)
	p.showsSince(p.pushOnly("seconds, and force"), pinned)
	r.Log(p.last(p.two).condition("Ready").Message)
	same()
	serviceName()
	p.showsSince(p.pushOnly("another serviceName, and force"), pinned)
	r.Log(p.last(p.two).condition("Ready").Message)
	r.Log(p.labelled("StatefulSet"))
}

// last is a Kustomization as it was seen last.
func (p *pair) last(kustomization string) seen {
	all, _ := p.log.now("Kustomization/" + kustomization)
	return latest(all)
}

// ends takes both custom resources out of Git.
//
// REQ: LC-05, TD-02, RN-09
func (r *run) ends() {
	keep, give := r.home, r.attic
	before, records := keep.writes(), keep.uids()
	give.git.Edit(give.file("inputs/gateway.yaml"), "  suspend: false\n", "  suspend: false\n  deletionPolicy: Delete\n")
	give.pushOnly("consent")
	r.Await("the finalizer is there", func(ctx context.Context) error {
		g, err := r.Resource(apiserver.Admin, api.KindTailnetGateway, "").Get(ctx, give.name, metav1.GetOptions{})
		if err == nil && len(g.GetFinalizers()) == 0 {
			err = errors.New("it is not")
		}
		return err
	})
	for _, p := range []*pair{keep, give} {
		p.git.Edit(p.file("inputs/kustomization.yaml"), "- gateway.yaml\n", "")
	}
	since := keep.pushOnly("two gateways less")
	keep.showsSince(since, removed)
	give.showsSince(since, removed)
	give.gone()
	keep.unwritten(before)
	keep.answers("nas.lab.example", "192.168.10.7")

	keep.git.Edit(keep.file("inputs/kustomization.yaml"), "- tailnet.yaml\n", "- tailnet.yaml\n- gateway.yaml\n")
	keep.showsSince(keep.push("one of them again"), recreated)
	records["TailnetGateway"] = keep.gatewayUID()
	for key, uid := range keep.uids() {
		if uid != records[key] {
			r.Errorf("%s is another one", key)
		}
	}
	keep.unwritten(before)
	keep.answers("nas.lab.example", "192.168.10.7")
}

// gone is no trace of the gateway, here and at Headscale. Flux has deleted nothing but
// its custom resource.
func (p *pair) gone() {
	p.Helper()
	p.Await(p.name+" is gone", func(ctx context.Context) error {
		_, err := p.Resource(apiserver.Admin, api.KindTailnetGateway, "").Get(ctx, p.name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("it is there"))
	})
	if left := p.labelled("ConfigMap", "Service", "ServiceAccount", "StatefulSet", "PodDisruptionBudget", "Role", "RoleBinding", "Pod", "Secret"); len(left) > 0 {
		p.Errorf("%v are left", left)
	}
	nodes, err := p.Headscale().Nodes(p.Context())
	if err != nil {
		p.Fatal(err)
	}
	for _, n := range nodes {
		if n.GivenName == p.name {
			p.Errorf("Headscale has the node %+v", n)
		}
	}
	if collected := p.collected(); !slices.Equal(collected, []string{"TailnetGateway/" + p.name + " deleted"}) {
		p.Errorf("Flux has deleted %q", collected)
	}
}

// collected is what Flux says that it has deleted for the gateway's Kustomizations.
func (p *pair) collected() (all []string) {
	p.Helper()
	text, err := os.ReadFile(p.fluxLog())
	if err != nil {
		p.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, what, ok := strings.Cut(line, "garbage collection completed: "); ok && strings.Contains(line, `"name":"`+p.name) {
			what, _, _ = strings.Cut(what, `"`)
			all = append(all, strings.Split(strings.TrimSuffix(what, `\n`), `\n`)...)
		}
	}
	return all
}
