//go:build lab && linux

package service

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// How often the nine are applied anew: an hour of an engine that does so every 18
// seconds. A kubectl applies them several times, on the client's side and on the
// server's by turns; the rest is what Flux sends.
const (
	kubectls   = 4
	perKubectl = 5
	others     = 180
)

// reapplied applies what was rendered over and over, with the placeholders of the
// UIDs and the seed of the zone as Git has them. Nothing is named, nothing is
// restarted, and the live zone stays. Then it does the same with labels of somebody
// else's.
//
// REQ: ST-06, DL-07
func (g *gateway) reapplied() {
	pod, zone := g.AwaitReady(g.namespace, g.pod()), g.zone.latest()
	passes, err := g.passes(g.Context())
	if err != nil {
		g.Fatal(err)
	}
	began, nine := time.Now(), g.nine()
	many := strings.Repeat(g.Text(nine...)+"\n---\n", perKubectl)
	for n := range kubectls {
		args := []string{"apply", "--filename=-"}
		if n%2 == 1 {
			args = []string{"apply", "--server-side", "--force-conflicts", "--filename=-"}
		}
		g.World.Must(apiserver.Person, many, args...)
		g.woken()
	}
	for n := range others {
		if err := g.Put(g.Context(), apiserver.FluxEngine, nine...); err != nil {
			g.Fatal(err)
		}
		if n%20 == 0 {
			g.woken()
		}
	}
	took := time.Since(began)
	g.labelled()
	for _, c := range []struct{ conditionType, reason string }{
		{api.ConditionReady, api.ReasonFreshRuntimeReady}, {api.ConditionInSync, api.ReasonAsRendered},
		{api.ConditionDNSReady, api.ReasonDNSInSync}, {api.ConditionWorkloadCurrent, api.ReasonPodCurrent},
	} {
		g.still(began, c.conditionType, c.reason)
	}
	if now := g.zone.latest(); now.Serial != zone.Serial || now.Hash != zone.Hash {
		g.Errorf("the live zone was %d %s, and is %d %s", zone.Serial, zone.Hash, now.Serial, now.Hash)
	}
	g.zone.check(g.World)
	g.untouched(pod)
	now, err := g.passes(g.Context())
	if err != nil {
		g.Fatal(err)
	}
	g.Logf("%d applies of the nine in %s, and %v passes of the minter over it: nothing was named", kubectls*perKubectl+others, ms(took), now-passes)
}

// labelled adds a label to the build of the home lab, in a layer over it and in three
// ways, and applies that. On the objects alone it is fine; in selectors and in the
// template it is refused.
//
// REQ: LC-15, UP-11 (B03)
func (g *gateway) labelled() {
	build := g.Example("home-lab", labtest.HomeLayer+asItIs)
	for _, c := range []struct {
		labels  string
		refused []string // kinds, one for each object
	}{
		{"labels: [{pairs: {team: net}, includeSelectors: false, includeTemplates: false}]", nil},
		{"commonLabels: {team: net}", []string{"PodDisruptionBudget", "Service", "Service", "Service", "StatefulSet"}},
		{"labels: [{pairs: {team: net}, includeSelectors: false, includeTemplates: true}]", []string{"StatefulSet"}},
	} {
		labelled := g.World.Must(apiserver.Admin, "", "kustomize", g.layer(build, c.labels))
		args := []string{"apply", "--server-side", "--force-conflicts", "--filename=-", "--selector=" + api.LabelGateway + "=GW"}
		r := g.kubectl(labelled, append(slices.Clone(args), "--dry-run=server")...)
		var refused []string
		for _, line := range labtest.Refusals(r) {
			kind := refusedKind.FindString(line)
			refused = append(refused, kind)
		}
		slices.Sort(refused)
		if !slices.Equal(refused, c.refused) {
			g.Errorf("%s: refused are %v, want %v:\n%s", c.labels, refused, c.refused, r.Stderr)
		}
		if len(c.refused) == 0 {
			g.must(labelled, args...)
			g.woken()
		}
	}
}

// refusedKind finds the kind in a refusal.
var refusedKind = regexp.MustCompile(`PodDisruptionBudget|Service\b|StatefulSet`)

// layer is a directory with a kustomization over a build.
func (g *gateway) layer(build, fields string) (dir string) {
	g.Helper()
	dir = g.TempDir()
	for name, text := range map[string]string{"build.yaml": build, "kustomization.yaml": "resources: [build.yaml]\n" + fields + "\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			g.Fatal(err)
		}
	}
	return dir
}

// asItIs makes the home lab what the test before has made of it.
const asItIs = `
- target: {kind: TailnetGateway}
  patch: |-
    - {op: replace, path: /spec/routes/lan, value: [` + lanRoute + `, ` + moreRoute + `]}
`

// relabelled applies what would be refused elsewhere. The gateway is blocked until it
// is taken back, and its receipt stays the one that it was.
//
// REQ: LC-15, UP-03 (B03)
func (g *gateway) relabelled() {
	fresh := g.things()["ConfigMap/"+api.FreshName(g.name)]
	for _, c := range []struct {
		name, object, path string
		in                 [][]string // by kind
		workload           string     // reason of WorkloadCurrent
		says               string     // its message
	}{
		{
			"template", "StatefulSet/NS/GW", "spec.template.metadata.labels.team",
			[][]string{{"StatefulSet", "spec", "template", "metadata", "labels"}}, api.ReasonWorkloadUpdateBlocked,
			"What the Pod should run cannot be told: StatefulSet/NS/GW was changed since it was verified.",
		},
		{
			"selectors", "Service/NS/GW", "spec.selector.team",
			[][]string{{"Service", "spec", "selector"}, {"PodDisruptionBudget", "spec", "selector", "matchLabels"}}, api.ReasonPodCurrent, "",
		},
	} {
		nine := g.nine()
		for _, o := range nine {
			for _, path := range c.in {
				if o["kind"] == path[0] {
					at := o
					for _, step := range path[1:] {
						at = at[step].(object)
					}
					at["team"] = "net"
				}
			}
		}
		if err := g.Put(g.Context(), apiserver.FluxEngine, nine...); err != nil {
			g.Fatal(err)
		}
		g.reaches(api.ConditionReady, api.ReasonFreshBlocked, c.object+" ", "at "+c.path)
		g.readyGauge(0)
		g.reaches(api.ConditionInSync, api.ReasonDrifted, c.object+" differs from its render at "+c.path)
		g.reaches(api.ConditionWorkloadCurrent, c.workload, c.says)
		g.reaches(api.ConditionRoutesInSync, api.ReasonNotReady)
		g.engine()
		g.reaches(api.ConditionReady, api.ReasonFreshRuntimeReady)
		g.reaches(api.ConditionWorkloadCurrent, api.ReasonPodCurrent)
	}
	if now := g.things()["ConfigMap/"+api.FreshName(g.name)]; now != fresh {
		g.Errorf("the receipt was written:\nbefore %s\nafter  %s", fresh, now)
	}
}
