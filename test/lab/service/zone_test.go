//go:build lab && linux

package service

import (
	"fmt"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/zone"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// touched is an annotation that has nothing to do with a zone: a number that somebody
// else counts up.
const touched = "lab.example/touched"

// zoneState is a live zone as the API server had it.
type zoneState struct {
	zone.Revision
	data    string // of zone.db
	touches int
	at      time.Time
}

// zoneLog is every state that a gateway's live zone was in, and what was wrong with
// it.
type zoneLog struct {
	mu      sync.Mutex
	all     []zoneState
	wrong   []string
	meddled bool
}

// watchZone looks at the gateway's live zone until the test ends.
func (g *gateway) watchZone() *zoneLog {
	g.Helper()
	l := &zoneLog{}
	only := metav1.ListOptions{FieldSelector: "metadata.name=" + api.CoreDNSName(g.name)}
	g.Follow(g.Resource(apiserver.Admin, "ConfigMap", g.namespace), only, l.take)
	return l
}

// take checks a state against the one before it.
//
// REQ: DL-01, DL-03, DL-04
func (l *zoneLog) take(c labtest.Change) {
	if c.Gone {
		return
	}
	var m corev1.ConfigMap
	err := runtime.DefaultUnstructuredConverter.FromUnstructured(c.Object, &m)
	next := zoneState{data: m.Data[api.DataZone], at: c.At}
	next.touches, _ = strconv.Atoi(m.Annotations[touched]) // 0 where nobody has
	if err == nil {
		next.Revision, err = zone.ReadRevision(m.Annotations, m.Data)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.meddled {
		return
	}
	fault := func(format string, args ...any) { l.wrong = append(l.wrong, fmt.Sprintf(format, args...)) }
	if err != nil {
		fault("%s: %v", m.Name, err)
		return
	}
	if len(l.all) > 0 {
		before := l.all[len(l.all)-1]
		switch {
		case next.Serial < before.Serial:
			fault("the serial stepped back from %d to %d", before.Serial, next.Serial)
		case next.Serial == before.Serial && next.Hash != before.Hash:
			fault("two zones have the serial %d", next.Serial)
		case next.Serial != before.Serial && next.Hash == before.Hash:
			fault("one zone has the serials %d and %d", before.Serial, next.Serial)
		case next.Serial > before.Serial+1 && !c.Anew:
			fault("the serial jumped from %d to %d", before.Serial, next.Serial)
		}
		if next.touches < before.touches {
			fault("what somebody else wrote went back from %d to %d", before.touches, next.touches)
		}
	}
	l.all = append(l.all, next)
}

// meddle says that somebody else writes zones from here on: they are kept no more.
func (l *zoneLog) meddle() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.meddled = true
}

// latest is the present state.
func (l *zoneLog) latest() zoneState {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return zoneState{}
	}
	return l.all[len(l.all)-1]
}

// first is the first state that is as wanted.
func (l *zoneLog) first(is func(zoneState) bool) (zoneState, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, s := range l.all {
		if is(s) {
			return s, true
		}
	}
	return zoneState{}, false
}

// check fails the test with everything that was wrong.
func (l *zoneLog) check(w *labtest.World) {
	w.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, text := range l.wrong {
		w.Error(text)
	}
}
