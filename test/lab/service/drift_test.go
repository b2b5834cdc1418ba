//go:build lab && linux

package service

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// drift is one way in which somebody changes one of the nine with kubectl.
type drift struct {
	how string // for people

	// args are kubectl's, which change the object as it is there. A command that
	// takes a manifest reads one of these: edited is the whole live object after a
	// change, applied a part of it.
	args    []string
	edited  func(object)
	applied object

	path    string // that is named
	reason  string // of InSync; empty is Drifted
	refused string // what the name of the policy begins with that refuses it; empty is tsunaro-pinned
}

// nobody refuses it.
const nobody = "-"

// drifts changes each of the nine in every way, and takes that back. What is named
// each time is the object and the first field, in the condition, and in status.drift.
//
// REQ: ST-06, UP-11
func (g *gateway) drifts() {
	g.zone.meddle()
	var named, cleared, commands []time.Duration
	tries := 0
	for _, o := range targets() {
		for _, d := range o.drifts {
			g.step(o.kind+" "+o.name+", "+d.how, func(g *gateway) {
				took := g.drift(o.kind, o.name, d)
				named, cleared, commands = append(named, took.named), append(cleared, took.cleared), append(commands, took.command)
				d.refuse(shared.home.within(g.World), o.kind, o.name)
			})
			tries++
		}
	}
	g.says(api.ConditionReady, api.ReasonFreshRuntimeReady)
	g.Logf("%d drifts of nine objects, median (longest): named %s after kubectl was started, which took %s itself; cleared %s after the write",
		tries, spread(named), spread(commands), spread(cleared))
	const soon = 2 * time.Second
	late := 0
	for _, t := range named {
		if t > soon {
			late++
		}
	}
	g.Logf("%d of %d were named later than %s", late, tries, soon)
}

// latency is how long a drift takes.
type latency struct{ named, command, cleared time.Duration }

// drift changes the object and takes that back.
func (g *gateway) drift(kind, name string, d drift) (took latency) {
	g.Helper()
	in := g.Resource(apiserver.Person, kind, g.namespace)
	was, err := in.Get(g.Context(), g.fill(name), metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	live := was.DeepCopy()
	live.SetResourceVersion("") // controllers write to it meanwhile
	args, input := d.command(g, live)
	began := time.Now()
	g.must(input, args...)
	took.command = time.Since(began)
	reason := cmp.Or(d.reason, api.ReasonDrifted)
	s := g.says(api.ConditionInSync, reason, g.fill(kind+"/NS/"+name+" "), " at "+g.fill(d.path))
	took.named = s.at.Sub(began)
	if want := (v1alpha1.Drift{Kind: kind, Name: g.fill(name), Path: g.fill(d.path)}); !slices.Contains(s.Status.Drift, want) {
		g.Errorf("status.drift is %v, without %v", s.Status.Drift, want)
	}

	began = time.Now()
	g.restore(kind, was)
	s = g.says(api.ConditionInSync, api.ReasonAsRendered)
	took.cleared = s.at.Sub(began)
	if len(s.Status.Drift) > 0 {
		g.Errorf("status.drift is %v", s.Status.Drift)
	}
	g.Logf("%s at %s: named %s, cleared %s", reason, d.path, ms(took.named), ms(took.cleared))
	return took
}

// restore makes an object what it was.
func (g *gateway) restore(kind string, was *unstructured.Unstructured) {
	g.Helper()
	in := g.Resource(apiserver.Person, kind, g.namespace)
	g.Await(kind+"/"+was.GetName()+" is restored", func(ctx context.Context) error {
		now, err := in.Get(ctx, was.GetName(), metav1.GetOptions{})
		if err != nil {
			return err
		}
		next := was.DeepCopy()
		next.SetManagedFields(nil)
		next.SetResourceVersion(now.GetResourceVersion())
		_, err = in.Update(ctx, next, metav1.UpdateOptions{})
		return err
	})
}

// command is what kubectl is given, for an object as it is there.
func (d drift) command(g *gateway, live *unstructured.Unstructured) (args []string, input string) {
	g.Helper()
	switch {
	case d.edited != nil:
		d.edited(live.Object)
		return []string{"replace", "--filename=-"}, g.Text(live.Object)
	case d.applied != nil:
		part := maps.Clone(d.applied)
		part["apiVersion"], part["kind"] = live.GetAPIVersion(), live.GetKind()
		part["metadata"] = object{"name": live.GetName(), "namespace": live.GetNamespace()}
		return []string{"apply", "--server-side", "--force-conflicts", "--field-manager=somebody", "--filename=-"}, g.fill(g.Text(part))
	}
	return slices.Clone(d.args), ""
}

// refuse tries the same with the guarded gateway. Only what is refused there needs a
// namespace without policies to be seen.
func (d drift) refuse(g *gateway, kind, name string) {
	g.Helper()
	if slices.Contains(d.args, "restart") {
		return // this one has no dry run
	}
	live, err := g.Resource(apiserver.Person, kind, g.namespace).Get(g.Context(), g.fill(name), metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	live.SetResourceVersion("") // others write here meanwhile
	args, input := d.command(g, live)
	r := g.kubectl(input, append(args, "--dry-run=server")...)
	switch by := cmp.Or(d.refused, "tsunaro-pinned"); {
	case by == nobody && r.Code != 0:
		g.Errorf("guarded, it is refused: %s", r.Stderr)
	case by != nobody && (r.Code == 0 || !strings.Contains(r.Stderr, "'"+by)):
		g.Errorf("guarded, %s does not refuse it: exit code %d, %s%s", by, r.Code, r.Stdout, r.Stderr)
	}
}
