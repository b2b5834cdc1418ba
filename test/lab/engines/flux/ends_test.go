//go:build lab && linux

package flux

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// forces renders by hand what may not change of the StatefulSet. Nothing is replaced
// without force, nor with it for a change that a policy refuses. For one that the server
// itself refuses Flux deletes it, although it says that nobody may force it; then nothing
// may create it again. (B15)
//
// REQ: RN-09, UP-11
func (r *run) forces() {
	p, before := r.attic, r.attic.all().UIDs()
	r.lost, r.nodes = before, p.all().Nodes()
	p.renderedWith("  serviceName: "+p.name+"\n", "  serviceName: elsewhere\n", "another serviceName")
	p.all().Unreplaced(before)
	p.renderedWith("  replicas: 1\n", "  replicas: 1\n  minReadySeconds: 1\n", "a field more")
	p.set(p.two, "force", true)
	p.shows(pinned)
	p.all().Unreplaced(before)

	p.renderedWith("  serviceName: "+p.name+"\n", "  serviceName: elsewhere\n", "another serviceName, and force")
	p.says(api.ConditionReady, api.ReasonFreshBlocked, "StatefulSet/"+namespace+"/"+p.name+" is missing", "Nothing brings it back")
	p.log.first(p.World, "Kustomization/"+p.two, "may not create it", func(s seen) bool {
		return s.is(shown{"False", "ReconciliationFailed", "Gateway " + p.name + " is not open for creation (phase complete)"}) == nil
	})
	p.set(p.two, "force", false)
}

// renderedWith pushes a rendering in which one thing is changed by hand, and waits until
// Flux shows that it is refused.
func (p *pair) renderedWith(old, text, message string) {
	p.Helper()
	p.render()
	p.git.Edit(p.file("rendered/"+p.name+".yaml"), old, text)
	p.showsSince(p.pushOnly(message), pinned)
}

// consents is deleted by hand, with consent, while Git still wants it: it is torn down,
// and comes back as another. (B15)
//
// REQ: TD-02
func (r *run) consents() {
	p := r.attic
	p.git.Edit(p.file("inputs/gateway.yaml"), "  suspend: false\n", "  suspend: false\n  deletionPolicy: Delete\n")
	p.push("consent")
	p.log.first(r.World, "TailnetGateway/"+p.name, "has the finalizer", func(s seen) bool { return len(s.metadata.Finalizers) > 0 })
	r.Must(apiserver.Person, "", "delete", "tailnetgateway", p.name, "--wait=false")
}

// reborn is what becomes of it, which takes a while: Flux first waits for what is being
// deleted. Nothing is left of the old one, here or at Headscale.
//
// REQ: TD-02
func (r *run) reborn() {
	p := r.attic
	p.log.first(r.World, "TailnetGateway/"+p.name, "is another one", func(s seen) bool { return !s.gone && s.metadata.UID != r.lost["TailnetGateway"] })
	p.Approve(p.name, "10.99.0.0/24", "192.168.60.0/24")
	p.says(api.ConditionRoutesInSync, api.ReasonApproved)
	p.shows(serving)
	p.all().Renewed(r.lost)
	if nodes := p.all().Nodes(); len(nodes) != 1 || slices.Contains(r.nodes, nodes[0]) {
		p.Errorf("Headscale has the nodes %s, and had %s", nodes, r.nodes)
	}
}

// ends takes both gateways out of Git. The one is retained: it serves, and nothing
// manages it any more, nor what is made anew in its place. The other one is gone for
// good, by the minter's deletions alone.
//
// REQ: LC-05, TD-02, RN-09
func (r *run) ends() {
	keep, give := r.home, r.attic
	writes, uids := keep.all().Writes(), keep.all().UIDs()
	for _, p := range []*pair{keep, give} {
		p.git.Edit(p.file("inputs/kustomization.yaml"), "- gateway.yaml\n", "")
	}
	since := keep.pushOnly("no gateway")
	give.gone()
	give.showsSince(since, removed)
	keep.showsSince(since, removed)
	keep.all().Unwritten(writes)
	keep.answers("nas.lab.example", "192.168.10.7")

	keep.git.Edit(keep.file("inputs/kustomization.yaml"), "- tailnet.yaml\n", "- tailnet.yaml\n- gateway.yaml\n")
	keep.showsSince(keep.push("one of them again"), recreated)
	delete(uids, "TailnetGateway")
	keep.all().Unreplaced(uids)
	keep.all().Unwritten(writes)
	keep.answers("nas.lab.example", "192.168.10.7")
}

// gone is no trace of the gateway, here and at Headscale. Flux has deleted nothing but
// its custom resource.
func (p *pair) gone() {
	p.Helper()
	p.all().AwaitGone()
	p.Await("Flux says what it has deleted", func(context.Context) error {
		if collected := p.collected(); !slices.Equal(collected, []string{"TailnetGateway/" + p.name + " deleted"}) {
			return fmt.Errorf("that is %q", collected)
		}
		return nil
	})
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
