//go:build linux

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// watcher sees what the minter writes, as anybody sees it.
type watcher struct {
	zones, statuses watch.Interface
	serials         map[string]string // of the live zones, by gateway
	told            map[string]int64  // serials in the statuses
}

func newWatcher(ctx context.Context, c *cluster) (*watcher, error) {
	w := &watcher{serials: map[string]string{}, told: map[string]int64{}}
	var maps corev1.ConfigMapList
	if err := c.admin.List(ctx, &maps, client.InNamespace(namespace)); err != nil {
		return nil, err
	}
	for i := range maps.Items {
		w.zone(&maps.Items[i])
	}
	var gateways v1alpha1.TailnetGatewayList
	if err := c.admin.List(ctx, &gateways); err != nil {
		return nil, err
	}
	for i := range gateways.Items {
		w.status(&gateways.Items[i])
	}
	var err error
	if w.zones, err = c.admin.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace(namespace), from(maps.ResourceVersion)); err != nil {
		return nil, err
	}
	w.statuses, err = c.admin.Watch(ctx, &v1alpha1.TailnetGatewayList{}, from(gateways.ResourceVersion))
	return w, err
}

func (w *watcher) stop() {
	w.zones.Stop()
	w.statuses.Stop()
}

func from(revision string) client.ListOption {
	return &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: revision}}
}

// zone takes a ConfigMap in, and returns the gateway of which it is another zone.
func (w *watcher) zone(c *corev1.ConfigMap) (gateway string, changed bool) {
	gateway, ok := strings.CutSuffix(c.Name, "-coredns")
	serial := c.Annotations[api.AnnotationDNSSerial]
	if !ok || w.serials[gateway] == serial {
		return gateway, false
	}
	w.serials[gateway] = serial
	return gateway, true
}

// status takes a gateway in, and reports whether it tells of another zone.
func (w *watcher) status(g *v1alpha1.TailnetGateway) (changed bool) {
	if g.Status.DNS == nil || g.Status.DNS.Serial == w.told[g.Name] {
		return false
	}
	w.told[g.Name] = g.Status.DNS.Serial
	return true
}

// latencies are how long after a change was sent its zones were there, and how long
// until their statuses said so.
type latencies struct{ zone, status []time.Duration }

// change sends the hosts source, and waits until as many gateways have followed it.
func (w *watcher) change(ctx context.Context, c *cluster, f *fleet, gateways int) (l latencies, err error) {
	const limit = 4 * time.Minute
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	f.hosts.Data = map[string]string{api.DefaultHostsKey: f.text()}
	began := time.Now()
	if err := c.admin.Update(ctx, f.hosts); err != nil {
		return l, err
	}
	for len(l.zone) < gateways || len(l.status) < gateways {
		select {
		case e, ok := <-w.zones.ResultChan():
			if !ok {
				return l, fmt.Errorf("the watch of ConfigMaps has ended")
			}
			if m, is := e.Object.(*corev1.ConfigMap); is {
				if _, changed := w.zone(m); changed {
					l.zone = append(l.zone, time.Since(began))
				}
			}
		case e, ok := <-w.statuses.ResultChan():
			if !ok {
				return l, fmt.Errorf("the watch of gateways has ended")
			}
			if g, is := e.Object.(*v1alpha1.TailnetGateway); is && w.status(g) {
				l.status = append(l.status, time.Since(began))
			}
		case <-ctx.Done():
			return l, fmt.Errorf("%d of %d zones and %d statuses have followed after %s", len(l.zone), gateways, len(l.status), limit)
		}
	}
	return l, nil
}

// one changes the names of single gateways, a moment after each other.
func (w *watcher) one(ctx context.Context, c *cluster, f *fleet, times int) (all latencies, err error) {
	for range times {
		f.versions[rand.IntN(f.size)]++
		l, err := w.change(ctx, c, f, 1)
		if err != nil {
			return all, err
		}
		all.zone, all.status = append(all.zone, l.zone...), append(all.status, l.status...)
		pause := time.NewTimer(time.Duration(50+rand.IntN(100)) * time.Millisecond)
		select {
		case <-pause.C:
		case <-ctx.Done():
			return all, ctx.Err()
		}
	}
	return all, nil
}

// every changes the names of all gateways at once.
func (w *watcher) every(ctx context.Context, c *cluster, f *fleet) (latencies, error) {
	for i := range f.versions {
		f.versions[i]++
	}
	return w.change(ctx, c, f, f.size)
}

// quantile is the q-th of some durations.
func quantile(all []time.Duration, q float64) time.Duration {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[int(q*float64(len(sorted)-1)+0.5)]
}
