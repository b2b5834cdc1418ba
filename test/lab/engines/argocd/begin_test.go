//go:build lab && linux

package argocd

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// unbound has no minter: the custom resources are there, and the server refuses the
// nine. What has no status yet is Progressing (B11). When the retries are over it is the
// next commit that makes Argo CD go on.
//
// REQ: RN-09, ST-05
func (l *life) unbound() {
	example := l.git.Read("examples/argocd/application.yaml")
	l.Must(apiserver.Person, strings.Replace(example, "limit: 15", "limit: 1", 1), "apply", "--filename=-")
	l.shows(over)
	l.Must(apiserver.Person, example, "apply", "--filename=-")
	l.push("try again")
	l.shows(unbound)
	l.syncSays(`_uid:=<unbound>}": a valid label must`)
	becomes(l.World, name, "has its custom resources and hosts, and not the nine", func(a application) error {
		for _, r := range a.Status.Resources {
			if want := map[string]bool{api.KindTailnet: true, api.KindTailnetGateway: true}[r.Kind] || r.Name == "tailnet-dns-hosts"; (r.Status == "Synced") != want {
				return fmt.Errorf("%s/%s is %s", r.Kind, r.Name, r.Status)
			}
		}
		if n := len(a.Status.Resources); n != 12 {
			return fmt.Errorf("it has %d resources", n)
		}
		return nil
	})
}

// foreign has a Secret in its way, until somebody runs the command of the message.
//
// REQ: ST-05
func (l *life) foreign() {
	secrets := l.Client(apiserver.Admin).CoreV1().Secrets(namespace)
	if _, err := secrets.Create(l.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: api.StateSecretName(name)}}, metav1.CreateOptions{}); err != nil {
		l.Fatal(err)
	}
	l.InstallShipped()
	l.shows(foreign, "Secret/"+namespace+"/"+api.StateSecretName(name)+" does not belong to this gateway")
	l.clears()
}

// begins goes on from there by itself: the next attempt to sync succeeds. Nothing
// that the minter has made belongs to the Application (B15).
//
// REQ: RN-09, ST-05
func (l *life) begins() {
	l.shows(notApproved, "Headscale has not approved 10.99.0.0/24, 192.168.10.0/24.")
	l.Approve(name, home...)
	a := l.shows(serving)
	nodes, err := tree(l.Context(), l.World, name)
	if err != nil {
		l.Fatal(err)
	}
	for _, n := range nodes {
		if n.Kind == "Secret" || n.Kind == "ConfigMap" && a.resource(n.Kind, n.Name) == (resource{}) {
			l.Errorf("the tree has %s/%s", n.Kind, n.Name)
		}
	}
	if pod := find(nodes, "Pod", name+"-0"); pod.Health == nil || len(pod.ParentRefs) != 1 || pod.ParentRefs[0].Kind != "StatefulSet" {
		l.Errorf("the tree has %+v", pod)
	}
	records := l.all().Records()
	key := l.workingKey()
	records["Secret/"+key.GetName()] = key
	for _, o := range records {
		for key := range o.GetLabels() {
			if strings.Contains(key, "argocd") || key == "app.kubernetes.io/instance" {
				l.Errorf("%s/%s has the label %s", o.GetKind(), o.GetName(), key)
			}
		}
		for key := range o.GetAnnotations() {
			if strings.Contains(key, "argocd") {
				l.Errorf("%s/%s has the annotation %s", o.GetKind(), o.GetName(), key)
			}
		}
	}
}

// workingKey is the Secret of the Tailnet's.
func (l *life) workingKey() *unstructured.Unstructured {
	l.Helper()
	u, err := l.Resource(apiserver.Admin, "Secret", namespace).Get(l.Context(), api.WorkingKeySecretName("home"), metav1.GetOptions{})
	if err != nil {
		l.Fatal(err)
	}
	return u
}
