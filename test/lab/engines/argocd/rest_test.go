//go:build lab && linux

package argocd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
)

// nine are the gateway's objects as the server has them, by kind and name.
func (l *life) nine(ctx context.Context) (map[string]*unstructured.Unstructured, error) {
	return l.labelled(ctx, "ConfigMap", "Service", "ServiceAccount", "StatefulSet", "PodDisruptionBudget", "Role", "RoleBinding")
}

func (l *life) labelled(ctx context.Context, kinds ...string) (map[string]*unstructured.Unstructured, error) {
	all := map[string]*unstructured.Unstructured{}
	for _, kind := range kinds {
		list, err := l.Resource(apiserver.Admin, kind, namespace).List(ctx, metav1.ListOptions{LabelSelector: api.LabelGateway + "=" + name})
		if err != nil {
			return nil, err
		}
		for _, o := range list.Items {
			all[o.GetKind()+"/"+o.GetName()] = &o
		}
	}
	return all, nil
}

// records are the minter's own objects.
func (l *life) records() (list []*unstructured.Unstructured) {
	l.Helper()
	for _, o := range []struct{ kind, name string }{
		{"Secret", api.StateSecretName(name)}, {"Secret", api.AuthSecretName(name)},
		{"ConfigMap", api.AuthReceiptName(name)}, {"ConfigMap", api.FreshName(name)},
		{"ConfigMap", api.BindingsName}, {"Secret", api.WorkingKeySecretName("home")},
	} {
		u, err := l.Resource(apiserver.Admin, o.kind, namespace).Get(l.Context(), o.name, metav1.GetOptions{})
		if err != nil {
			l.Fatal(err)
		}
		list = append(list, u)
	}
	return list
}

// versions are the resourceVersions of the nine.
func (l *life) versions() map[string]string {
	l.Helper()
	nine, err := l.nine(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	if len(nine) != 9 {
		l.Fatalf("there are %v", slices.Sorted(maps.Keys(nine)))
	}
	versions := map[string]string{}
	for key, o := range nine {
		versions[key] = o.GetResourceVersion()
	}
	return versions
}

// rests is looked at again and again, and synced once more: nothing is written. That
// some of it was written in other units makes no difference (B13).
//
// REQ: DL-07, RN-09
func (l *life) rests() {
	before := l.versions()
	for range 3 {
		refresh(l.World, name)
		l.shows(serving)
	}
	l.syncs()
	if after := l.versions(); !maps.Equal(before, after) {
		l.Errorf("Argo CD writes:\n%v\n%v", before, after)
	}
}

// syncs lets Argo CD apply and prune everything with the Application's options, as the
// button of its page does.
func (l *life) syncs(more ...string) {
	l.Helper()
	mark := time.Now().Format(time.RFC3339Nano)
	l.Must(apiserver.Admin, "", "patch", "application", name, "--namespace=argocd", "--type=merge",
		`--patch={"operation":{"info":[{"name":"mark","value":"`+mark+`"}],"sync":{"prune":true,"syncOptions":["`+strings.Join(append(more, "ServerSideApply=true"), `","`)+`"]}}}`)
	becomes(l.World, name, "is synced", func(a application) error {
		o := a.Status.OperationState
		if len(o.Operation.Info) != 1 || o.Operation.Info[0].Value != mark || o.Phase != "Succeeded" {
			return errors.New("it is not")
		}
		return nil
	})
	l.shows(serving)
}

// answers waits until the gateway's DNS has an address for a name.
func (l *life) answers(host, address string) {
	l.Helper()
	l.Answers("10.96.0.53", host, address)
}

// liveZone is the zone with its serial and all else that the ConfigMap says.
func (l *life) liveZone() string {
	l.Helper()
	m, err := l.Client(apiserver.Admin).CoreV1().ConfigMaps(namespace).Get(l.Context(), api.CoreDNSName(name), metav1.GetOptions{})
	if err != nil {
		l.Fatal(err)
	}
	return fmt.Sprint(m.UID, m.Labels, m.Annotations, m.Data)
}

// zone changes a host, and then a record of the gateway's own, in Git. The minter
// changes the live zone; Argo CD is Synced with it, and changes none of the nine, not
// even when everything is synced anew.
//
// REQ: DL-07
func (l *life) zone() {
	for i, change := range []struct{ file, old, text, host string }{
		{hostsFile, "    192.168.10.8  printer.lab.example\n", "    192.168.10.8  printer.lab.example\n    192.168.10.9  scanner.lab.example\n", "scanner.lab.example"},
		{gatewayFile, "    - name: nas\n", "    - name: disk\n      addresses: [\"192.168.10.9\"]\n    - name: nas\n", "disk.lab.example"},
	} {
		before := l.versions()
		l.git.Edit(change.file, change.old, change.text)
		l.push("one name more")
		l.answers(change.host, "192.168.10.9")
		l.shows(serving, "The node has its proven identity")
		if serial := api.AnnotationDNSSerial + ":" + fmt.Sprint(i+2); !strings.Contains(l.liveZone(), serial) {
			l.Errorf("no %s in %s", serial, l.liveZone())
		}
		swapped := l.versions()
		delete(before, "ConfigMap/"+api.CoreDNSName(name))
		for key, version := range before {
			if swapped[key] != version {
				l.Errorf("%s was written", key)
			}
		}
		live := l.liveZone()
		l.syncs() // and takes up the fields that the minter has taken over, once, without another value
		synced := l.versions()
		l.syncs()
		if after := l.versions(); !maps.Equal(synced, after) {
			l.Errorf("Argo CD writes:\n%v\n%v", synced, after)
		}
		if after := l.liveZone(); after != live {
			l.Errorf("Argo CD makes\n%s\n of\n%s", after, live)
		}
	}
}

// restarts deletes the Pod.
//
// REQ: ST-05, ST-08
func (l *life) restarts() {
	before := l.versions()
	l.Must(apiserver.Person, "", "cordon", lab.NodeName)
	l.Must(apiserver.Person, "", "delete", "pod", name+"-0", "--namespace="+namespace)
	l.shows(restarting, name+"-0 is not running, or not ready.")
	l.Must(apiserver.Person, "", "uncordon", lab.NodeName)
	l.shows(serving)
	after := l.versions()
	for key, version := range before {
		if strings.HasPrefix(key, "ConfigMap/") && after[key] != version {
			l.Errorf("%s was written", key)
		}
	}
}
