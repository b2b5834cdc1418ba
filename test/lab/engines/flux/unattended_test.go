//go:build lab && linux

package flux

import (
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// unattended has no minter. What serves goes on serving. A commit changes one gateway,
// which waits with it, and makes two more, which wait to be bound: one has no status at
// all, and the other an empty one (B11).
//
// REQ: OP-01, ST-05
func (r *run) unattended() {
	p, before := r.home, r.home.all().Writes()
	r.ScaleShipped(0)
	p.shows(unattended)
	p.git.Edit(p.file("inputs/gateway.yaml"), `lan: ["192.168.10.0/24"]`, `lan: ["192.168.10.0/24", "`+laterRoute+`"]`)
	if _, err := r.Client(apiserver.Admin).CoreV1().Secrets(namespace).Create(r.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: api.StateSecretName(r.shed.name)}}, metav1.CreateOptions{}); err != nil {
		r.Fatal(err)
	}
	for _, c := range []*pair{r.attic, r.shed} {
		c.compose(c)
		c.render()
		c.deployCopy()
	}
	since := p.push("a route more, and two gateways")
	attic := "TailnetGateway/" + r.attic.name
	p.log.first(r.World, attic, "is there", func(seen) bool { return true })
	r.Must(apiserver.Admin, "", "patch", "tailnetgateway", r.attic.name, "--subresource=status", "--type=merge", `--patch={"status":{"conditions":[]}}`)

	p.showsSince(since, notSeen)
	r.attic.showsSince(since, unbound)
	r.shed.showsSince(since, unbound)
	for _, c := range []*pair{r.attic, r.shed} {
		all, _ := p.log.now("TailnetGateway/" + c.name)
		if s := latest(all); len(s.status.Conditions) > 0 {
			r.Errorf("%s has %v", c.name, s.status.Conditions)
		}
		if list := c.all().Labelled("StatefulSet", "Service", "ConfigMap"); len(list) > 0 {
			r.Errorf("%s has %v", c.name, list)
		}
	}
	p.all().Unwritten(before)
	p.answers("nas.lab.example", "192.168.10.7")
}

// beside goes on when the minter is back. One of the new gateways is blocked, and stays
// so while the other becomes ready. The first one's Pod then runs an older template.
// Quantities in other units than the server's are no difference to Flux (B13), and
// nothing that the minter has made carries a key of Flux, as the custom resources do
// (B15).
//
// REQ: UP-09, ST-05, RN-09
func (r *run) beside() {
	since := time.Now()
	r.ScaleShipped(2)
	r.shed.showsSince(since, foreign)
	r.outdated()
	r.attic.showsSince(since, notApproved)
	r.attic.Approve(r.attic.name, "10.99.0.0/24", "192.168.60.0/24")
	r.attic.shows(serving)
	r.shed.shows(foreign)
	r.home.shows(serving)
	r.attic.quiet()
	r.attic.canonical()
	r.untracked(r.home)
	r.untracked(r.attic)
}

// outdated is the first gateway's change, which needs its Pod to be deleted.
func (r *run) outdated() {
	p := r.home
	p.says(api.ConditionWorkloadCurrent, api.ReasonPodTemplateStale, p.name+"-0 runs an older template")
	p.shows(oldTemplate)
	was := p.AwaitReady(namespace, p.name+"-0")
	p.Must(apiserver.Person, "", "delete", "pod", p.name+"-0", "--namespace="+namespace)
	p.replaced(was.UID)
	p.says(api.ConditionWorkloadCurrent, api.ReasonPodCurrent)
	p.shows(serving)
}

// says waits until the gateway says something.
func (p *pair) says(condition, reason string, texts ...string) {
	p.Helper()
	p.log.await(p.World, labtest.Deadline, "TailnetGateway/"+p.name, "says "+reason, func(all []seen) (seen, error) {
		s := latest(all)
		c := s.condition(condition)
		if c.Reason != reason || c.ObservedGeneration != s.metadata.Generation {
			return s, fmt.Errorf("it says %s: %s", c.Reason, c.Message)
		}
		for _, text := range texts {
			if !strings.Contains(c.Message, text) {
				return s, errors.New(c.Message)
			}
		}
		return s, nil
	})
}

// canonical fails unless the server has stored all quantities, as they were rendered.
func (p *pair) canonical() {
	p.Helper()
	s, err := p.Client(apiserver.Admin).AppsV1().StatefulSets(namespace).Get(p.Context(), p.name, metav1.GetOptions{})
	if err != nil {
		p.Fatal(err)
	}
	rendered := p.git.Read(p.file("rendered/" + p.name + ".yaml"))
	seen := 0
	for _, c := range s.Spec.Template.Spec.Containers {
		for _, list := range []corev1.ResourceList{c.Resources.Requests, c.Resources.Limits} {
			for name, q := range list {
				p.Logf("%s: %s %s", c.Name, name, &q)
				seen++
				if !strings.Contains(rendered, fmt.Sprintf("%s: %s\n", name, &q)) && !strings.Contains(rendered, fmt.Sprintf("%s: %q\n", name, &q)) {
					p.Errorf("%s has %s %s, which was rendered otherwise", c.Name, name, &q)
				}
			}
		}
	}
	if seen != quantities {
		p.Errorf("the Pod has %d quantities, want the %d that Git has", seen, quantities)
	}
}

// untracked fails if a record of the gateway carries a key of Flux.
func (r *run) untracked(p *pair) {
	r.Helper()
	records := p.all().Records()
	for key, o := range records {
		for name := range o.GetLabels() {
			if strings.Contains(name, "fluxcd") {
				r.Errorf("%s has the label %s", key, name)
			}
		}
		for name := range o.GetAnnotations() {
			if strings.Contains(name, "fluxcd") {
				r.Errorf("%s has the annotation %s", key, name)
			}
		}
	}
	p.owned(p.one, map[string]*unstructured.Unstructured{"the custom resource": p.all().Custom()})
}
