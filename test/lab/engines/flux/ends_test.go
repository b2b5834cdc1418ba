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
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// forces renders by hand what may not change. Flux leaves all nine alone, as they tell
// it to. Told to force by its Kustomization, it still leaves alone what a policy refuses,
// but deletes what the server itself refuses; nothing may create that again. (B15)
//
// REQ: RN-09, UP-11
func (r *run) forces() {
	p, before := r.attic, r.attic.uids()
	p.renderedWith("  serviceName: "+p.name+"\n", "  serviceName: elsewhere\n", "another serviceName")
	p.unreplaced(before)
	p.renderedWith("  replicas: 1\n", "  replicas: 1\n  minReadySeconds: 1\n", "a field more")
	r.Must(apiserver.Person, "", "patch", "kustomization", p.two, "--namespace="+namespace, "--type=merge", `--patch={"spec":{"force":true}}`)
	p.shows(pinned)
	p.unreplaced(before)

	p.renderedWith("  serviceName: "+p.name+"\n", "  serviceName: elsewhere\n", "another serviceName, and force")
	p.says(api.ConditionReady, api.ReasonFreshBlocked, "StatefulSet/"+namespace+"/"+p.name+" is missing", "Nothing brings it back")
	p.log.first(p.World, "Kustomization/"+p.two, "may not create it", func(s seen) bool {
		return s.is(shown{"False", "ReconciliationFailed", "Gateway " + p.name + " is not open for creation (phase complete)"}) == nil
	})
	r.Must(apiserver.Person, "", "patch", "kustomization", p.two, "--namespace="+namespace, "--type=merge", `--patch={"spec":{"force":false}}`)
}

// renderedWith pushes a rendering in which one thing is changed by hand, and waits until
// Flux shows that it is refused.
func (p *pair) renderedWith(old, text, message string) {
	p.Helper()
	p.render()
	p.git.Edit(p.file("rendered/"+p.name+".yaml"), old, text)
	p.showsSince(p.pushOnly(message), pinned)
}

// unreplaced fails if anything of the gateway is another one than before.
func (p *pair) unreplaced(before map[string]types.UID) {
	p.Helper()
	now := p.uids()
	for key, uid := range before {
		if now[key] != uid {
			p.Errorf("%s is another one", key)
		}
	}
}

// consents is deleted by hand, with consent, while Git still wants it: it is torn down,
// and comes back as another. (B15)
//
// REQ: TD-02
func (r *run) consents() {
	p := r.attic
	r.lost = p.gatewayUID()
	p.git.Edit(p.file("inputs/gateway.yaml"), "  suspend: false\n", "  suspend: false\n  deletionPolicy: Delete\n")
	p.push("consent")
	p.log.first(r.World, "TailnetGateway/"+p.name, "has the finalizer", func(s seen) bool { return len(s.metadata.Finalizers) > 0 })
	r.Must(apiserver.Person, "", "delete", "tailnetgateway", p.name, "--wait=false")
}

// reborn is what becomes of it, which takes a while: Flux first waits for what is being
// deleted.
func (r *run) reborn() {
	p := r.attic
	p.log.first(r.World, "TailnetGateway/"+p.name, "is another one", func(s seen) bool { return !s.gone && s.metadata.UID != r.lost })
	p.approve(p.name, "10.99.0.0/24", "192.168.60.0/24")
	p.says(api.ConditionRoutesInSync, api.ReasonApproved)
	p.shows(serving)
}

// ends takes both gateways out of Git. The one is retained: it serves, and nothing
// manages it any more, nor what is made anew in its place. The other one is gone for
// good, by the minter's deletions alone.
//
// REQ: LC-05, TD-02, RN-09
func (r *run) ends() {
	keep, give := r.home, r.attic
	writes, uids := keep.writes(), keep.uids()
	for _, p := range []*pair{keep, give} {
		p.git.Edit(p.file("inputs/kustomization.yaml"), "- gateway.yaml\n", "")
	}
	since := keep.pushOnly("no gateway")
	give.gone()
	give.showsSince(since, removed)
	keep.showsSince(since, removed)
	keep.unwritten(writes)
	keep.answers("nas.lab.example", "192.168.10.7")

	keep.git.Edit(keep.file("inputs/kustomization.yaml"), "- tailnet.yaml\n", "- tailnet.yaml\n- gateway.yaml\n")
	keep.showsSince(keep.push("one of them again"), recreated)
	delete(uids, "TailnetGateway")
	keep.unreplaced(uids)
	keep.unwritten(writes)
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
