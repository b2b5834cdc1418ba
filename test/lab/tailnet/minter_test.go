//go:build lab && linux

package tailnet

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"

	"github.com/fluxcd/pkg/runtime/conditions/check"
	"github.com/fluxcd/pkg/runtime/events"
	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/expfmt"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"tsunaro.io/gateway/minter/controller/gateway"
	"tsunaro.io/gateway/minter/controller/tailnets"
	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/metrics"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// minter is a running minter, of Tailnets and where a test asks for it of gateways.
type minter struct {
	*world
	*tailnets.Reconciler
	cluster  *kube.Cluster
	told     *metrics.Metrics
	recorder events.Recorder
	nodes    *tailnets.Nodes
	clients  *tailnets.Clients
	registry *prometheus.Registry
	cancel   func() // asks it to stop
	stop     func() // and waits until it has
}

// poll is the pace of the tests.
const poll = 200 * time.Millisecond

// run starts a minter that stops with the test. When it has stopped, everything
// that it said is searched for keys, and every status is shown to Flux's checker.
func (w *world) run(more ...func(*minter, ctrl.Manager) error) *minter {
	w.Helper()
	m := &minter{world: w, registry: prometheus.NewRegistry()}
	mgr := m.manager()
	if err := m.SetUp(mgr); err != nil {
		w.Fatal(err)
	}
	for _, f := range more {
		if err := f(m, mgr); err != nil {
			w.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	seen := w.watch()
	m.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			w.Error(err)
		}
		m.search(seen())
	})
	w.Cleanup(m.stop)
	return m
}

// manager makes the parts of the minter as the command does.
func (m *minter) manager() ctrl.Manager {
	m.Helper()
	access, err := server.Config(account)
	if err != nil {
		m.Fatal(err)
	}
	scheme, err := kube.Scheme()
	if err != nil {
		m.Fatal(err)
	}
	mgr, err := ctrl.NewManager(rest.CopyConfig(access), ctrl.Options{
		Scheme: scheme, Logger: logger,
		Metrics:    metricsserver.Options{BindAddress: "0"},
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{namespace: {}}},
		Controller: config.Controller{SkipNameValidation: new(true)},
	})
	if err != nil {
		m.Fatal(err)
	}
	recorder, err := events.NewRecorder(logger, "", api.MinterName, events.WithManager(mgr))
	if err != nil {
		m.Fatal(err)
	}
	m.assemble(access, recorder, mgr)
	return mgr
}

func (m *minter) assemble(access *rest.Config, recorder events.Recorder, mgr ctrl.Manager) {
	m.Helper()
	cluster, err := kube.New(access, mgr.GetScheme(), namespace)
	if err != nil {
		m.Fatal(err)
	}
	told, err := metrics.New(m.registry)
	if err != nil {
		m.Fatal(err)
	}
	m.cluster, m.told, m.recorder = cluster, told, recorder
	m.clients = tailnets.NewClients(cluster, headscale.Options{Pause: 10 * time.Millisecond}, told.Headscale)
	m.nodes = tailnets.NewNodes(m.clients, poll)
	m.Reconciler = tailnets.New(cluster, m.clients, m.nodes, told, recorder, m.now)
}

// gateways are reconciled, too.
func gateways(m *minter, mgr ctrl.Manager) error {
	return gateway.New(m.cluster, m.nodes, m.told, m.recorder).SetUp(mgr)
}

// pass makes a pass at once. No step may be due: the minter itself may be at work.
func (m *minter) pass() (r ctrl.Result) {
	m.Helper()
	m.until("a pass is made", func() (ok bool) {
		var err error
		r, err = m.Reconcile(logr.NewContext(m.Context(), logger), ctrl.Request{NamespacedName: client.ObjectKey{Name: m.name}})
		return err == nil
	})
	return r
}

// exposition is the text of the metrics.
func (m *minter) exposition() string {
	m.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		m.Fatal(err)
	}
	var b bytes.Buffer
	for _, f := range families {
		if _, err := expfmt.MetricFamilyToText(&b, f); err != nil {
			m.Fatal(err)
		}
	}
	return b.String()
}

// gauge is the value of a Tailnet's gauge; ok is false where there is none.
func (m *minter) gauge(name string) (v float64, ok bool) {
	m.Helper()
	families, err := m.registry.Gather()
	if err != nil {
		m.Fatal(err)
	}
	for _, f := range families {
		for _, metric := range f.GetMetric() {
			for _, l := range metric.GetLabel() {
				if f.GetName() == name && (l.GetName() == "tailnet" || l.GetName() == "name") && l.GetValue() == m.name {
					v, ok = metric.GetGauge().GetValue(), true
				}
			}
		}
	}
	return v, ok
}

// watch collects every state of the Tailnet until the returned function is called.
func (w *world) watch() (seen func() []*v1alpha1.Tailnet) {
	w.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	stream, err := w.Watch(ctx, &v1alpha1.TailnetList{}, &client.ListOptions{FieldSelector: fields.OneTermEqualSelector("metadata.name", w.name)})
	if err != nil {
		cancel()
		w.Fatal(err)
	}
	var all []*v1alpha1.Tailnet
	done := make(chan struct{})
	go func() {
		defer close(done)
		for e := range stream.ResultChan() {
			if t, ok := e.Object.(*v1alpha1.Tailnet); ok {
				all = append(all, t)
			}
		}
	}()
	return func() []*v1alpha1.Tailnet {
		cancel()
		stream.Stop()
		<-done
		return all
	}
}

// search looks for keys in all that the minter has said, and at every status.
func (m *minter) search(seen []*v1alpha1.Tailnet) {
	m.Helper()
	var all corev1.EventList
	if err := m.List(context.Background(), &all); err != nil {
		m.Error(err)
	}
	secrets := map[string]any{}
	var list corev1.SecretList
	if err := m.List(context.Background(), &list, client.InNamespace(namespace)); err != nil {
		m.Error(err)
	}
	for _, s := range list.Items {
		secrets[s.Name] = []any{s.Annotations, s.Labels}
	}
	for where, what := range map[string]any{"a status": seen, "an event": all.Items, "a Secret's metadata": secrets} {
		text, err := json.Marshal(what)
		if err != nil {
			m.Error(err)
		}
		m.secrets.unseen(m.T, where, string(text))
	}
	m.secrets.unseen(m.T, "the log", said.String())
	m.secrets.unseen(m.T, "the metrics", m.exposition())
	for _, t := range seen {
		if t.Status.ObservedGeneration == t.Generation {
			if err := kstatusErrors(m, t); err != nil {
				m.Errorf("%v\n%+v", err, t.Status.Conditions)
			}
		}
	}
}

// flux is a Tailnet as Flux's checker takes it.
type flux struct {
	v1alpha1.Tailnet `json:",inline"`
}

func (f *flux) GetConditions() []metav1.Condition { return f.Status.Conditions }

func kstatusErrors(m *minter, t *v1alpha1.Tailnet) error {
	c := check.NewChecker(nil, &check.Conditions{NegativePolarity: []string{api.ConditionReconciling, api.ConditionStalled}})
	if meta.IsStatusConditionPresentAndEqual(t.Status.Conditions, api.ConditionReady, metav1.ConditionUnknown) {
		c = check.NewInProgressChecker(nil)
	}
	c.DisableFetch, c.Stdout, c.Stderr = true, io.Discard, io.Discard
	fail, warn := c.Check(context.Background(), &flux{*t})
	if fail != nil {
		return fail
	}
	return warn
}
