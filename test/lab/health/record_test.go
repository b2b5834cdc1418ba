//go:build lab && long && linux

package health

import (
	"context"
	"errors"
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
	mu     sync.Mutex
	met    map[string]*unstructured.Unstructured // by file of the state
	latest map[string]*unstructured.Unstructured // by kind
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
	r := &recorder{met: map[string]*unstructured.Unstructured{}, latest: map[string]*unstructured.Unstructured{}}
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

// meets waits until a state has been met.
func (l *life) meets(file string) {
	l.Helper()
	l.Await(file+" is met", func(context.Context) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.met[file] != nil {
			return nil
		}
		return l.now(path.Dir(file))
	})
}

// now is an error with the last verdict on a kind.
func (r *recorder) now(kind string) error {
	if r.latest[kind] == nil {
		return errors.New("there is none")
	}
	v, _ := judged(r.latest[kind])
	return fmt.Errorf("it is %+v", v)
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
	l.Await("the gateway is healthy", func(context.Context) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		if u := l.latest[api.KindTailnetGateway]; u != nil && u.GetAnnotations()[api.AnnotationRequestedAt] == asked {
			if v, _ := judged(u); v.Status == api.Healthy {
				return nil
			}
		}
		return l.now(api.KindTailnetGateway)
	})
}

// write puts what was met into the corpus.
func (r *recorder) write(w *labtest.World) {
	w.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range recorded {
		u := r.met[s.file]
		if u == nil {
			w.Errorf("%s was not met", s.file)
			continue
		}
		u.SetManagedFields(nil)
		text, err := yaml.Marshal(u.Object)
		if err != nil {
			w.Fatal(err)
		}
		name := filepath.Join(w.Source("health"), corpus.Customizations, path.Dir(s.file), "testdata", path.Base(s.file))
		if err := os.WriteFile(name, append([]byte("# Recorded: make record-health.\n"), text...), 0o644); err != nil {
			w.Fatal(err)
		}
	}
}
