//go:build lab && linux

package argocd

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// application is what an Application says, as far as tests ask.
type application struct {
	Operation *struct{} // that is to begin
	Status    struct {
		Health         assessment
		Sync           struct{ Status, Revision string }
		Conditions     []struct{ Type, Message string }
		Resources      []resource
		OperationState struct {
			Phase, Message string
			RetryCount     int
			Operation      struct {
				Info []struct{ Value string }
				Sync struct{ Resources []resource }
			}
		}
	}
}

type assessment struct{ Status, Message string }

type resource struct {
	Kind, Name, Status string
	Health             *assessment
}

// resource is the one of a kind and a name; the zero value if the Application has none.
func (a application) resource(kind, name string) resource {
	i := slices.IndexFunc(a.Status.Resources, func(r resource) bool { return r.Kind == kind && r.Name == name })
	if i < 0 {
		return resource{}
	}
	return a.Status.Resources[i]
}

// String is an Application in one line.
func (a application) String() string {
	s := a.Status
	var behind []string
	for _, r := range s.Resources {
		if r.Status != "Synced" {
			behind = append(behind, r.Kind+"/"+r.Name)
		}
	}
	text := fmt.Sprintf("%s, %s", s.Health.Status, s.Sync.Status)
	if len(behind) > 0 {
		text += " for " + strings.Join(behind, " ")
	}
	for _, c := range s.Conditions {
		text += fmt.Sprintf("; %s: %s", c.Type, c.Message)
	}
	return fmt.Sprintf("%s; operation %s (%d retries): %.300s", text, s.OperationState.Phase, s.OperationState.RetryCount, s.OperationState.Message)
}

func read(u *unstructured.Unstructured) (a application, err error) {
	b, err := u.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(b, &a)
	}
	return a, err
}

// get is the Application as it is now.
func get(ctx context.Context, w *labtest.World, app string) (application, error) {
	u, err := w.Applications().Get(ctx, app, metav1.GetOptions{})
	if err != nil {
		return application{}, err
	}
	return read(u)
}

// refresh lets Argo CD look at Git and the cluster now, and waits until it has.
func refresh(w *labtest.World, app string) {
	w.Helper()
	refreshes(w, app, "normal")
}

// refreshes does the same; a hard one also builds anew what Git has.
func refreshes(w *labtest.World, app, how string) {
	w.Helper()
	const annotation = "argocd.argoproj.io/refresh"
	w.Must(apiserver.Admin, "", "annotate", "application", app, "--namespace=argocd", "--overwrite", annotation+"="+how)
	w.Await("Argo CD has looked again", func(ctx context.Context) error {
		u, err := w.Applications().Get(ctx, app, metav1.GetOptions{})
		if err == nil && u.GetAnnotations()[annotation] != "" {
			err = fmt.Errorf("it has not")
		}
		return err
	})
}

// becomes waits until the Application is as wanted, and returns it.
func becomes(w *labtest.World, app, what string, is func(application) error) (a application) {
	w.Helper()
	w.Await(app+" "+what, func(ctx context.Context) (err error) {
		if a, err = get(ctx, w, app); err != nil {
			return err
		}
		if err = is(a); err != nil {
			err = fmt.Errorf("%w (%s)", err, a)
		}
		return err
	})
	return a
}

// timeline logs every state of an Application that differs from the one before.
type timeline struct {
	began time.Time
	mu    sync.Mutex
	lines []string
	last  string
}

func follow(w *labtest.World, app string) *timeline {
	w.Helper()
	l := &timeline{began: time.Now()}
	w.Follow(w.Applications(), metav1.ListOptions{FieldSelector: "metadata.name=" + app}, func(c labtest.Change) {
		a, err := read(c.Unstructured)
		l.mu.Lock()
		defer l.mu.Unlock()
		if text := fmt.Sprint(a, err); text != l.last {
			l.last = text
			l.lines = append(l.lines, fmt.Sprintf("%6.1f s  %s", c.At.Sub(l.began).Seconds(), text))
		}
	})
	return l
}

func (l *timeline) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.Join(l.lines, "\n")
	l.lines = nil
	return text
}

// tree is the resource tree that Argo CD's pages show.
func tree(ctx context.Context, w *labtest.World, app string) (nodes []node, err error) {
	var t struct{ Nodes []node }
	err = w.AskArgoCD(ctx, "/api/v1/applications/"+app+"/resource-tree", &t)
	return t.Nodes, err
}

type node struct {
	Kind, Name string
	Health     *assessment
	ParentRefs []struct{ Kind, Name string }
}

// find is the node of a kind and a name; the zero value if there is none.
func find(nodes []node, kind, name string) node {
	if i := slices.IndexFunc(nodes, func(n node) bool { return n.Kind == kind && n.Name == name }); i >= 0 {
		return nodes[i]
	}
	return node{}
}
