//go:build lab && linux

package flux

import (
	"errors"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// push renders the gateway, pushes all that has changed, and lets Flux know, as a
// webhook would. It returns when Flux has the commit, and since when that can be.
func (p *pair) push(message string) (since time.Time) {
	p.Helper()
	p.render()
	return p.pushOnly(message)
}

// pushOnly is a push without CI.
func (p *pair) pushOnly(message string) (since time.Time) {
	p.Helper()
	since = time.Now()
	head := "main@sha1:" + p.git.Push(message)
	p.request(repositories, repository)
	p.log.first(p.World, "GitRepository/"+repository, "has "+head, func(s seen) bool { return s.status.Artifact.Revision == head })
	p.log.pushes = append(p.log.pushes, push{since, head})
	return since
}

// repository is the GitRepository of the example.
const repository = "gateways"

// request asks Flux to look at one of its objects now.
func (p *pair) request(in schema.GroupVersionResource, name string) (at string) {
	p.Helper()
	at = time.Now().UTC().Format(time.RFC3339Nano)
	patch := fmt.Sprintf(`{"metadata":{"annotations":{"reconcile.fluxcd.io/requestedAt":%q}}}`, at)
	if _, err := of(p.World, in).Patch(p.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		p.Fatal(err)
	}
	return at
}

// forced has Flux apply a Kustomization again, and waits until it has.
func (p *pair) forced(kustomization string) {
	p.Helper()
	at := p.request(kustomizations, kustomization)
	p.log.first(p.World, "Kustomization/"+kustomization, "has done what it was asked for", func(s seen) bool { return s.status.LastHandledReconcileAt == at })
}

// shows asks both Kustomizations, and waits until they show a state.
func (p *pair) shows(s state) {
	p.Helper()
	began := time.Now()
	p.request(kustomizations, p.one)
	p.finds(conclusion, p.one, began, s.one.of(p.name, p.one))
	then := time.Now()
	p.request(kustomizations, p.two)
	p.finds(conclusion, p.two, then, s.two.of(p.name, p.one))
	p.Logf("%s shows after %s: %s", p.name, ms(time.Since(began)), s.name)
}

// showsSince waits until they do by what they have found since a time.
func (p *pair) showsSince(since time.Time, s state) {
	p.Helper()
	began := time.Now()
	p.finds(conclusion, p.one, since, s.one.of(p.name, p.one))
	p.finds(conclusion, p.two, since, s.two.of(p.name, p.one))
	p.Logf("%s shows after %s: %s", p.name, ms(time.Since(began)), s.name)
}

// showsUnasked waits until they do because Flux looks again after every interval.
func (p *pair) showsUnasked(s state) {
	p.Helper()
	began := time.Now()
	p.finds(unasked, p.one, began, s.one.of(p.name, p.one))
	p.finds(unasked, p.two, began, s.two.of(p.name, p.one))
	p.Logf("%s shows unasked after %s: %s", p.name, ms(time.Since(began)), s.name)
}

const (
	// unasked is how long Flux may take to come to a conclusion by itself: until it looks
	// again, the timeout of that, and something for a machine that is busy.
	unasked = interval + timeout + labtest.Deadline/4
	// conclusion is how long it may take when it is asked, or has a commit: the timeout of
	// what is under way is added, and a busy machine does not matter.
	conclusion = interval + 2*timeout + labtest.Deadline
)

// finds waits until a reconciliation that began after a time, of the commit of that time
// or a later one, has come to what is wanted.
func (p *pair) finds(limit time.Duration, kustomization string, since time.Time, want shown) {
	p.Helper()
	holds := p.log.holds(since)
	p.log.await(p.World, limit, "Kustomization/"+kustomization, fmt.Sprintf("shows %+v", want), func(all []seen) (seen, error) {
		if want.reason == waits.reason { // says the same all the time, so that nothing is seen of it
			return latest(all), latest(all).is(want)
		}
		began, err := false, errors.New("nothing was reconciled")
		for _, s := range all {
			if s.at.Before(since) {
				continue
			}
			if s.condition("Ready").Status == "Unknown" {
				began = true
			} else if began && slices.Contains(holds, s.status.LastAttemptedRevision) {
				if err = s.is(want); err == nil {
					return s, nil
				}
			}
		}
		return seen{}, err
	})
}

func latest(all []seen) seen {
	if len(all) == 0 {
		return seen{}
	}
	return all[len(all)-1]
}
