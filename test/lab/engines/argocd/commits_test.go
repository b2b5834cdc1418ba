//go:build lab && linux

package argocd

import (
	"fmt"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// plain are nine objects that nobody waits for.
const plain = "examples/plain/"

// another is the Application of the example for another directory and name.
func (l *life) another(app, directory string) {
	l.Helper()
	text := l.git.Read("examples/argocd/application.yaml")
	text = strings.Replace(text, "name: "+name, "name: "+app, 1)
	text = strings.Replace(text, "path: examples/argocd/gateway", "path: "+directory, 1)
	l.Must(apiserver.Person, text, "apply", "--filename=-")
}

// neighbour is another gateway, with an Application of its own, which is bound and
// whose nine are applied.
func (l *life) neighbour() {
	l.Helper()
	const other = "cellar"
	to := strings.NewReplacer("lab-gw", other, "lab.example", "cellar.example", "lab-dns", "cellar-dns", "10.96.0.53", labtest.ServiceIP(0),
		"10.99.0.53", "10.99.0.54", "name: home", "name: "+other, "tailnet: home", "tailnet: "+other, "tailnet-dns-hosts", other+"-hosts",
		"192.168.30.0/24", "192.168.31.0/24", "192.168.10.0/24", "192.168.32.0/24")
	for _, file := range []string{"gateway.yaml", "hosts.yaml", "tailnet.yaml", "render.yaml", "kustomization.yaml"} {
		l.git.Write("examples/"+other+"/"+file, to.Replace(l.git.Read(directory+file)))
	}
	l.git.Append("examples/"+other+"/tailnet.yaml", "  dns:\n    hostsConfigMapRef:\n      name: "+other+"-hosts\n")
	l.git.Push("another gateway")
	l.another(other, "examples/"+other)
	becomes(l.World, other, "is up", func(a application) error { return a.in(notApproved) })
}

// commits is the time from a commit to a gateway that is well, and to nine objects
// that nobody waits for.
//
// REQ: ST-05
func (l *life) commits() {
	whole := l.git.Read(kustomization)
	l.empty(whole)

	l.git.Write(plain+"kustomization.yaml", "namespace: default\nresources: [none.yaml, objects.yaml]\n")
	l.git.Write(plain+"objects.yaml", nineObjects())
	commit, began := l.git.Push("nine plain objects"), time.Now()
	refresh(l.World, "plain")
	becomes(l.World, "plain", "has them", func(a application) error {
		if a.Status.Sync.Revision != commit || len(a.Status.Resources) != 10 {
			return fmt.Errorf("it has not")
		}
		return settled(a)
	})
	floor := time.Since(began)

	m := l.milestones()
	l.git.Write(kustomization, whole)
	l.git.Push("a gateway")
	m.start()
	refresh(l.World, name)
	l.Approve(name, append(home, "192.168.30.0/24")...)
	becomes(l.World, name, "is well", func(a application) error { return a.in(serving) })
	m.reach("Healthy")
	l.Logf("nine plain objects %.1f s; a gateway %s", floor.Seconds(), m)
}

// empty makes two Applications that have neither a gateway nor the plain objects yet.
func (l *life) empty(whole string) {
	l.Helper()
	i, j := strings.Index(whole, "- target: {kind: TailnetGateway}"), strings.Index(whole, "transformers:\n")
	without := strings.Replace(whole[:i], "- gateway.yaml\n", "", 1)
	without = strings.Replace(without, whole[j:j+len("transformers:\n- render.yaml\n")], "", 1)
	l.git.Write(kustomization, without)
	l.git.Write(plain+"kustomization.yaml", "namespace: default\nresources: [none.yaml]\n")
	l.git.Write(plain+"none.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n")
	l.git.Push("neither gateway nor plain objects")
	l.another(name, strings.TrimSuffix(directory, "/"))
	l.another("plain", "examples/plain")
	becomes(l.World, name, "has its Tailnet", settled)
	becomes(l.World, "plain", "has nothing to do", settled)
}

// settled is no error for an Application that is done.
func settled(a application) error {
	if s := a.Status; s.Sync.Status != "Synced" || s.Health.Status != "Healthy" || s.OperationState.Phase != "Succeeded" {
		return fmt.Errorf("it is not settled")
	}
	return nil
}

// nineObjects are as many, of kinds as light as those of a gateway.
func nineObjects() string {
	var b strings.Builder
	for i := range 3 {
		fmt.Fprintf(&b, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: plain-%d}\n---\n", i)
		fmt.Fprintf(&b, "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: plain-%d}\n---\n", i)
		fmt.Fprintf(&b, "apiVersion: v1\nkind: Service\nmetadata: {name: plain-%d}\nspec: {ports: [{port: 80}]}\n---\n", i)
	}
	return b.String()
}

// milestones are the times at which a new gateway gets on.
type milestones struct {
	mu    sync.Mutex
	began time.Time
	order []string
	at    map[string]time.Duration
}

func (m *milestones) start() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began = time.Now()
}

// reach notes a milestone, the first time.
func (m *milestones) reach(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, reached := m.at[name]; !reached {
		m.order, m.at[name] = append(m.order, name), time.Since(m.began)
	}
}

func (m *milestones) String() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]string, len(m.order))
	for i, name := range m.order {
		list[i] = fmt.Sprintf("%s %.1f s", name, m.at[name].Seconds())
	}
	return strings.Join(list, ", ")
}

// milestones follow the gateway's custom resource and its StatefulSet, which is the
// last of the nine.
func (l *life) milestones() *milestones {
	l.Helper()
	m := &milestones{at: map[string]time.Duration{}}
	only := metav1.ListOptions{FieldSelector: "metadata.name=" + name}
	l.Follow(l.Resource(apiserver.Admin, api.KindTailnetGateway, ""), only, func(c labtest.Change) {
		m.reach("applied")
		var g v1alpha1.TailnetGateway
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(c.Object, &g); err != nil {
			return
		}
		for _, kind := range []string{api.ConditionBound, api.ConditionReady} {
			if condition(g.Status.Conditions, kind).Status == metav1.ConditionTrue {
				m.reach(kind)
			}
		}
	})
	l.Follow(l.Resource(apiserver.Admin, "StatefulSet", namespace), only, func(labtest.Change) { m.reach("nine applied") })
	return m
}
