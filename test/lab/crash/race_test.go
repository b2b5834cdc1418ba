//go:build lab && linux

package crash

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// contested is how many gateways two minters race for.
const contested = 100

// TestRace lets two minters of one namespace, of which neither leads, set up a
// hundred gateways at the same time. Each gets one identity: a key whose answer was lost,
// which happens on a busy machine, lapses before there is another. No node takes their
// Pods: they are complete when their receipt is there, and never Ready.
//
// REQ: LC-12, LC-10, LC-21, MT-04 (B45)
func TestRace(t *testing.T) {
	p := newPlace(world(t), labtest.Ways{Together: true})
	p.Background(p.kubelet)
	r := &race{place: p, applied: map[string]string{}}
	var all strings.Builder
	all.WriteString(p.resources())
	for range contested {
		g := p.newGateway(nobodys)
		r.gateways = append(r.gateways, g)
		all.WriteString(g.resource)
	}
	p.Start()
	p.Start()
	began := time.Now()
	if err := p.apply(t.Context(), all.String()); err != nil {
		t.Fatal(err)
	}
	t.Logf("%5.1f s  %d gateways applied", time.Since(began).Seconds(), contested)
	p.Background(r.engine)
	blocked := r.awaitCalm()
	t.Logf("%5.1f s  %d are complete, %d are blocked", time.Since(began).Seconds(), contested-len(blocked), len(blocked))
	for _, g := range blocked {
		g.lead()
	}
	r.wantIdentities()
	r.awaitStatuses()
	t.Logf("%5.1f s  all are complete, and both minters say so", time.Since(began).Seconds())
	r.tellConflicts()
	for i, m := range p.Minters() {
		select {
		case <-m.Done():
			t.Errorf("minter %d has ended", i+1)
		default:
		}
	}
	if bytes.Contains(p.Said(), []byte("panic")) {
		t.Error("a minter has panicked")
	}
}

type race struct {
	*place
	gateways []*gateway
	applied  map[string]string // by gateway: the state UID that its nine were applied for
}

// registry is the place's, as it is now.
func (r *race) registry(ctx context.Context) (map[string]string, error) {
	var m corev1.ConfigMap
	_, err := r.Find(ctx, api.BindingsName, &m)
	return m.Data, err
}

// engine applies the nine of all gateways that are open.
func (r *race) engine(ctx context.Context) {
	poll(ctx, func() bool {
		r.sync(ctx)
		return false
	})
}

func (r *race) sync(ctx context.Context) {
	data, err := r.registry(ctx)
	if err != nil {
		return
	}
	var nines strings.Builder
	states := map[string]string{}
	for _, g := range r.gateways {
		e, _, err := registry.Read(data, g.name)
		if err == nil && e.Phase == registry.Open && r.applied[g.name] != e.StateUID {
			states[g.name] = e.StateUID
			nines.WriteString(g.nine)
		}
	}
	if len(states) == 0 || r.apply(ctx, nines.String()) != nil {
		return
	}
	for name, uid := range states {
		r.applied[name] = uid
	}
}

// kubelet says of every Pod what a kubelet says of one whose check has passed and
// whose Secret is missing.
func (p *place) kubelet(ctx context.Context) {
	poll(ctx, func() bool {
		var pods corev1.PodList
		if err := shared.admin.List(ctx, &pods, client.InNamespace(p.Namespace)); err != nil {
			return false
		}
		for i := range pods.Items {
			wait(ctx, &pods.Items[i])
		}
		return false
	})
}

func wait(ctx context.Context, pod *corev1.Pod) {
	if len(pod.Status.ContainerStatuses) > 0 {
		return
	}
	for _, c := range pod.Spec.InitContainers {
		pod.Status.InitContainerStatuses = append(pod.Status.InitContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "Completed"}},
		})
	}
	for _, c := range pod.Spec.Containers {
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
			Name: c.Name, State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CreateContainerConfigError"}},
		})
	}
	_ = shared.admin.Status().Update(ctx, pod) // or in the next round
}

// awaitCalm waits until nothing is written any more, and returns the gateways that
// are not complete: those wait for somebody, and say for what.
func (r *race) awaitCalm() (blocked []*gateway) {
	r.Helper()
	const calm = 35 * time.Second // a state Secret that nobody knows is left alone for 30
	r.AwaitWith(labtest.Patience{Limit: 15 * time.Minute, Pause: patience.Pause}, "all are complete, or wait for somebody", func(ctx context.Context) error {
		blocked = nil
		data, err := r.registry(ctx)
		if err != nil {
			return err
		}
		for _, g := range r.gateways {
			if e, _, err := registry.Read(data, g.name); err != nil || e.Phase != registry.Complete {
				blocked = append(blocked, g)
			}
		}
		if since := r.sinceLastWrite(); len(blocked) > 0 && since < calm {
			return fmt.Errorf("%d are not, and the last write was %v ago", len(blocked), since)
		}
		return nil
	})
	return blocked
}

// sinceLastWrite is how long nothing was written; before the first write no time.
func (r *race) sinceLastWrite() time.Duration {
	writes := r.Tap.Writes()
	if len(writes) == 0 {
		return 0
	}
	return time.Since(writes[len(writes)-1].At)
}

// wantIdentities wants one key for each gateway's tag that can be used, which its
// receipts name, and receipts that hold together.
func (r *race) wantIdentities() {
	r.Helper()
	keys, err := allKeys(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	data, err := r.registry(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	for _, g := range r.gateways {
		all := keys[g.tag]
		i := slices.IndexFunc(all, func(k key) bool { return usable([]key{k}) == 1 })
		if len(all) != 1+g.lapsed || usable(all) != 1 {
			r.Errorf("%s: of %d keys %d can be used, and %d have lapsed", g.name, len(all), usable(all), g.lapsed)
			continue
		}
		e, _, err := registry.Read(data, g.name)
		if err != nil {
			r.Fatal(err)
		}
		g.wantRecords(e, all[i].ID)
	}
}

// wantRecords wants the registry, the Secrets and both receipts to speak of the same
// state Secret and the same key.
func (g *gateway) wantRecords(e registry.Entry, keyID string) {
	g.Helper()
	var cr v1alpha1.TailnetGateway
	var secret corev1.Secret
	var record, fresh corev1.ConfigMap
	for name, o := range map[string]client.Object{
		g.name: &cr, api.AuthSecretName(g.name): &secret, api.AuthReceiptName(g.name): &record, api.FreshName(g.name): &fresh,
	} {
		if found, err := g.Find(g.Context(), name, o); err != nil || !found {
			g.Fatalf("%s: found %t, %v", name, found, err)
		}
	}
	a, err := receipt.DecodeAuth([]byte(record.Data[api.DataReceipt]))
	if err != nil {
		g.Fatal(err)
	}
	c, err := receipt.DecodeCompletion([]byte(fresh.Data[api.DataReceipt]))
	if err != nil {
		g.Fatal(err)
	}
	for what, pair := range map[string][2]string{
		"gateway in the registry":          {e.GatewayUID, string(cr.UID)},
		"state Secret in the registry":     {e.StateUID, g.state()},
		"state Secret in the receipt":      {c.State.UID, g.state()},
		"auth Secret in its receipt":       {a.Secret.UID, string(secret.UID)},
		"its revision":                     {a.Secret.Revision, secret.ResourceVersion},
		"key in the auth receipt":          {string(a.KeyID), keyID},
		"key in the completion receipt":    {string(c.KeyID), keyID},
		"auth receipt in the completion":   {c.Auth.UID, string(record.UID)},
		"key that the Secret is noted for": {secret.Annotations[api.AnnotationKeyID], keyID},
	} {
		if pair[0] != pair[1] {
			g.Errorf("%s, %s: %s, want %s", g.name, what, pair[0], pair[1])
		}
	}
}

// awaitStatuses waits until every status says the same as the records: neither
// minter is left with what it saw on the way.
func (r *race) awaitStatuses() {
	r.Helper()
	r.Await("every status is that of a complete gateway", func(ctx context.Context) error {
		others := []string{}
		for _, g := range r.gateways {
			if c, err := g.ready(ctx); err != nil || c.Reason != g.end {
				others = append(others, fmt.Sprintf("%s: %v, %v", g.name, c, err))
			}
		}
		if len(others) > 0 {
			return fmt.Errorf("%d are not: %v", len(others), others)
		}
		return nil
	})
}

// tellConflicts logs how often the two met.
func (r *race) tellConflicts() {
	all, conflicts, asked := map[string]int{}, map[string]int{}, map[string]int{}
	for _, w := range r.Tap.Writes() {
		for _, read := range w.Reads {
			if !strings.HasPrefix(read, "/apis/") && !strings.HasPrefix(read, "/api/v1/namespaces/") {
				asked[read]++
			}
		}
		what := w.Method + " " + path.Base(w.Path)
		switch {
		case w.Server == labtest.TheHeadscale:
			what = w.Method + " " + w.Path
		case strings.HasSuffix(w.Path, "/status"):
			what = "status"
		case strings.HasSuffix(w.Path, "/"+api.BindingsName):
			what = "swap of the registry"
		}
		all[what]++
		if w.Status == http.StatusConflict {
			conflicts[what]++
		}
	}
	r.Logf("%d writes: %v; of which in conflict: %v", len(r.Tap.Writes()), all, conflicts)
	r.Logf("asked of Headscale: %v", asked)
}
