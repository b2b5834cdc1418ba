//go:build lab && linux

package service

import (
	"strings"
	"time"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// How often the nine are applied anew: an hour of an engine that does so every 18
// seconds. One kubectl applies them several times.
const (
	runs      = 10
	perRun    = 20
	reapplies = runs * perRun
)

// reapplied applies what was rendered over and over, on the client's side and on the
// server's, with the placeholders of the UIDs and the seed of the zone as Git has
// them. Nothing is named, nothing is restarted, and the live zone stays. Then it does
// the same with labels of somebody else's.
//
// REQ: ST-06, DL-07
func (g *gateway) reapplied() {
	pod, zone := g.AwaitReady(g.namespace, g.pod()), g.zone.latest()
	passes, err := g.passes(g.Context())
	if err != nil {
		g.Fatal(err)
	}
	began := time.Now()
	many := strings.Repeat(g.Text(g.nine()...)+"\n---\n", perRun)
	for n := range runs {
		args := []string{"apply", "--filename=-"}
		if n%2 == 1 {
			args = []string{"apply", "--server-side", "--force-conflicts", "--filename=-"}
		}
		g.World.Must(apiserver.Person, many, args...)
		g.woken()
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
	g.Logf("%d applies of the nine in %s, and %v passes of the minter over it: nothing was named", reapplies, ms(took), now-passes)
}

// labelled builds the home lab with a label for all objects, as kustomize can add one
// in three places, and applies that. On the objects alone it is fine; in selectors and
// in the template it is refused.
//
// REQ: LC-15, UP-11 (B03)
func (g *gateway) labelled() {
	for _, c := range []struct{ labels, refused string }{
		{"labels: [{pairs: {team: net}, includeSelectors: false, includeTemplates: false}]", ""},
		{"commonLabels: {team: net}", "Service StatefulSet PodDisruptionBudget"},
		{"labels: [{pairs: {team: net}, includeSelectors: false, includeTemplates: true}]", "StatefulSet"},
	} {
		build := g.Example("home-lab", overlay+asItIs+c.labels+"\n")
		r := g.kubectl(build, "apply", "--server-side", "--force-conflicts", "--filename=-", "--selector="+api.LabelGateway+"=GW", "--dry-run=server")
		refusals := strings.Join(labtest.Refusals(r), "\n")
		if c.refused == "" {
			if r.Code != 0 {
				g.Errorf("%s is refused: %s", c.labels, r.Stderr)
			}
			g.must(build, "apply", "--server-side", "--force-conflicts", "--filename=-", "--selector="+api.LabelGateway+"=GW")
			g.woken()
			continue
		}
		for kind := range strings.FieldsSeq(c.refused) {
			if !strings.Contains(refusals, kind+" ") {
				g.Errorf("%s: no %s is refused:\n%s", c.labels, kind, refusals)
			}
		}
		if n := len(labtest.Refusals(r)); n != wantRefusals[c.refused] {
			g.Errorf("%s: %d objects are refused:\n%s", c.labels, n, refusals)
		}
	}
}

// asItIs makes the home lab what the test before has made of it.
const asItIs = `
- target: {kind: TailnetGateway}
  patch: |-
    - {op: replace, path: /spec/routes/lan, value: [` + lanRoute + `, ` + moreRoute + `]}
`

// wantRefusals is how many of the nine are of the kinds.
var wantRefusals = map[string]int{"Service StatefulSet PodDisruptionBudget": 5, "StatefulSet": 1}

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
		g.Errorf("the receipt had the revision %s, and has %s", fresh, now)
	}
}
