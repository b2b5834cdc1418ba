//go:build lab && long && linux

package health

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/health"
	"tsunaro.io/gateway/health/corpus"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// recorder sees every status that any gateway or Tailnet has, however short.
type recorder struct {
	mu      sync.Mutex
	changed chan struct{}                         // closed and replaced when anything has
	met     map[string]*unstructured.Unstructured // by file of the state
	latest  map[string]*unstructured.Unstructured // by kind
}

// state is one of the corpus: the file says the kind and the health, and a condition
// of the object has the reason. Where the reason is empty, no condition decides.
type state struct {
	file, condition, reason string
}

func (s state) is(u *unstructured.Unstructured, v health.Verdict, conditions []metav1.Condition) bool {
	if path.Dir(s.file) != u.GetKind() || !strings.HasPrefix(path.Base(s.file), strings.ToLower(string(v.Status))+"_") {
		return false
	}
	if s.reason == "" {
		return v.Reason == ""
	}
	for _, c := range conditions {
		if c.Type == s.condition && c.Reason == s.reason {
			return v.Reason != "" && (v.Condition == s.condition || v.Condition == api.ConditionReady)
		}
	}
	return false
}

// record begins to look.
func record(w *labtest.World) *recorder {
	w.Helper()
	r := &recorder{changed: make(chan struct{}), met: map[string]*unstructured.Unstructured{}, latest: map[string]*unstructured.Unstructured{}}
	for _, resource := range []string{"tailnets", "tailnetgateways"} {
		all := w.Dynamic(apiserver.Admin).Resource(schema.GroupVersionResource{Group: api.Group, Version: api.Version, Resource: resource})
		changes, err := all.Watch(context.Background(), metav1.ListOptions{})
		if err != nil {
			w.Fatal(err)
		}
		w.Cleanup(changes.Stop)
		go func() {
			for e := range changes.ResultChan() {
				if u, ok := e.Object.(*unstructured.Unstructured); ok && e.Type != "DELETED" {
					r.take(u)
				}
			}
		}()
	}
	return r
}

func (r *recorder) take(u *unstructured.Unstructured) {
	v, conditions := judged(u)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.latest[u.GetKind()] = u
	for _, s := range recorded {
		if r.met[s.file] == nil && s.is(u, v, conditions) {
			r.met[s.file] = u
		}
	}
	close(r.changed)
	r.changed = make(chan struct{})
}

// judged is the verdict on a custom resource, and its conditions.
func judged(u *unstructured.Unstructured) (health.Verdict, []metav1.Condition) {
	if u.GetKind() == api.KindTailnet {
		t := converted[v1alpha1.Tailnet](u)
		return health.Tailnet(t), t.Status.Conditions
	}
	g := converted[v1alpha1.TailnetGateway](u)
	return health.Gateway(g), g.Status.Conditions
}

func converted[T any](u *unstructured.Unstructured) *T {
	var v T
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &v); err != nil {
		panic(err) // the API server has checked it against the CRD
	}
	return &v
}

// meets waits until a state has been met. The others can be met without it.
func (l *life) meets(file string) {
	l.Helper()
	l.wait(file, func() bool { return l.met[file] != nil })
}

// wait waits until something has been seen.
func (l *life) wait(file string, seen func() bool) {
	l.Helper()
	limit := time.NewTimer(labtest.Deadline)
	defer limit.Stop()
	for {
		l.mu.Lock()
		ok, changed, last := seen(), l.changed, l.now(path.Dir(file))
		l.mu.Unlock()
		if ok {
			l.Logf("%s is met", file)
			return
		}
		select {
		case <-changed:
		case <-limit.C:
			l.Errorf("%s is not met: %s", file, last)
			return
		}
	}
}

// now is the last verdict on a kind.
func (r *recorder) now(kind string) string {
	if r.latest[kind] == nil {
		return "there is none"
	}
	v, _ := judged(r.latest[kind])
	return fmt.Sprintf("it is %+v", v)
}

// meetsAnew waits until what do brings about is met, even if it has been before.
func (l *life) meetsAnew(file string, do func()) {
	l.Helper()
	l.mu.Lock()
	delete(l.met, file)
	l.mu.Unlock()
	do()
	l.meets(file)
}

// healthy lets the minter look again, and waits until the gateway is healthy.
func (l *life) healthy() {
	l.Helper()
	asked := time.Now().UTC().Format(time.RFC3339Nano)
	l.Must(apiserver.Person, "", "annotate", "tailnetgateway", name, "--overwrite", api.AnnotationRequestedAt+"="+asked)
	l.wait("TailnetGateway/healthy_running.yaml", func() bool {
		u := l.latest[api.KindTailnetGateway]
		if u == nil || u.GetAnnotations()[api.AnnotationRequestedAt] != asked {
			return false
		}
		v, _ := judged(u)
		return v.Status == api.Healthy
	})
}

// write puts what was met into the corpus.
func (l *life) write() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for file, u := range l.met {
		u.SetManagedFields(nil)
		text, err := yaml.Marshal(u.Object)
		if err == nil {
			name := filepath.Join(l.Source("health"), corpus.Customizations, path.Dir(file), "testdata", path.Base(file))
			_ = os.MkdirAll(filepath.Dir(name), 0o755) // else the next line fails
			err = os.WriteFile(name, append([]byte("# Recorded: make record-health.\n"), text...), 0o644)
		}
		if err != nil {
			l.Error(err)
		}
	}
}
