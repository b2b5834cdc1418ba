//go:build lab && linux

package flux

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/test/testbed/apiserver"
)

// set changes a field of a Kustomization, as a person may.
func (p *pair) set(kustomization, field string, value bool) {
	p.Helper()
	p.Must(apiserver.Person, "", "patch", "kustomization", kustomization, "--namespace="+namespace, "--type=merge", fmt.Sprintf(`--patch={"spec":{%q:%t}}`, field, value))
}

// owned fails unless Flux takes objects for those of a Kustomization: others it does
// not delete, whatever they say.
func (p *pair) owned(kustomization string, objects map[string]*unstructured.Unstructured) {
	p.Helper()
	for key, o := range objects {
		if name := o.GetLabels()["kustomize.toolkit.fluxcd.io/name"]; name != kustomization {
			p.Errorf("%s is of the Kustomization %q, not of %s", key, name, kustomization)
		}
	}
}

// prunes has the nine taken out of Git, by step two with prune: true, which the example
// has not. They say themselves that they stay; what stood in their place does not. (B15)
//
// REQ: RN-09
func (r *run) prunes() {
	p, nine := r.home, r.home.all().Nine()
	before, writes, collected := p.all().UIDs(), p.all().Writes(), p.collected()
	p.owned(p.two, nine)
	p.set(p.two, "prune", true)
	list, file := p.file("rendered/kustomization.yaml"), p.name+".yaml"
	p.git.Edit(list, file, "instead.yaml")
	p.git.Write(p.file("rendered/instead.yaml"), "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: instead, namespace: "+namespace+"}\n")
	p.git.Remove(p.file("rendered/" + file))
	p.showsSince(p.pushOnly("none of the nine"), serving)
	p.all().Unreplaced(before)
	p.answers("nas.lab.example", "192.168.10.7")

	p.git.Edit(list, "instead.yaml", file)
	p.git.Remove(p.file("rendered/instead.yaml"))
	p.showsSince(p.push("the nine again"), serving)
	p.set(p.two, "prune", false)
	p.shows(serving)
	p.all().Unreplaced(before)
	p.all().Unwritten(writes)

	want := []string{"ConfigMap/" + namespace + "/instead deleted"}
	for key := range nine {
		want = append(want, strings.Replace(key, "/", "/"+namespace+"/", 1)+" skipped")
	}
	slices.Sort(want)
	if got := slices.Sorted(slices.Values(p.collected()[len(collected):])); !slices.Equal(got, want) {
		p.Errorf("Flux has collected\n%q, want\n%q", got, want)
	}
}

// leaves is a gateway whose Kustomizations are deleted, and none is there to take it
// over. Flux deletes what it does before they are gone. They come back, and find all as
// it was. (B15)
//
// REQ: RN-09
func (r *run) leaves() {
	p := r.home
	before, writes := p.all().UIDs(), p.all().Writes()
	p.owned(p.one, map[string]*unstructured.Unstructured{"TailnetGateway": p.all().Custom()})
	p.owned(p.two, r.rendered())
	p.Must(apiserver.Person, "", "delete", "kustomization", p.one, p.two, "--namespace="+namespace)
	p.all().Unreplaced(before)
	p.all().Unwritten(writes)
	p.answers("nas.lab.example", "192.168.10.7")

	since := time.Now()
	p.deployCopy()
	p.showsSince(since, serving)
	p.all().Unreplaced(before)
	p.all().Unwritten(writes)
}

// rendered are those of the nine that follow Git: the zone is applied once, and stays
// the Kustomization's that did.
func (r *run) rendered() map[string]*unstructured.Unstructured {
	r.Helper()
	all := r.home.all().Nine()
	delete(all, r.home.all().Zone())
	return all
}

// forcesInputs forces step one. A value of another type is refused, and no more. One that
// breaks a rule of the CRD is to Flux a field that cannot be changed: it deletes the
// custom resource for it, and cannot make it anew. What is retained serves.
//
// REQ: RN-09, LC-05
func (r *run) forcesInputs() {
	p, inputs := r.home, r.home.file("inputs/gateway.yaml")
	before := p.all().UIDs()
	retained := maps.Clone(before)
	delete(retained, "TailnetGateway")
	refused := func(text string) shown {
		return shown{"False", "ReconciliationFailed", "TailnetGateway/" + p.name + " dry-run failed" + text}
	}
	p.set(p.one, "force", true)

	p.git.Edit(inputs, "suspend: false", "suspend: perhaps")
	p.finds(conclusion, p.one, p.pushOnly("neither true nor false"), refused(""))
	p.all().Unreplaced(before)

	p.git.Edit(inputs, "suspend: perhaps", "suspend: false")
	p.git.Edit(inputs, laterRoute, "192.168.30.0/33")
	p.finds(conclusion, p.one, p.pushOnly("a mistake in a route"), refused(" (Invalid)"))
	if p.all().Custom() != nil {
		p.Errorf("Flux has left %s: README of the example says otherwise", p.name)
	}
	p.all().Unreplaced(retained)
	p.answers("nas.lab.example", "192.168.10.7")

	p.set(p.one, "force", false)
	p.git.Edit(inputs, "192.168.30.0/33", laterRoute)
	p.showsSince(p.push("without the mistake"), recreated)
	p.all().Unreplaced(retained)
}
