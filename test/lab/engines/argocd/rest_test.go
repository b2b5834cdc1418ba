//go:build lab && linux

package argocd

import (
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
)

// rests is looked at again and again, and synced once more: nothing is written. That
// some of it was written in other units makes no difference (B13).
//
// REQ: DL-07, RN-09
func (l *life) rests() {
	before := l.all().Writes()
	for range 3 {
		refresh(l.World, name)
		l.shows(serving)
	}
	l.syncs()
	l.all().Unwritten(before)
}

// syncs lets Argo CD apply and prune everything with the Application's options, as the
// button of its page does.
func (l *life) syncs(more ...string) {
	l.Helper()
	mark := time.Now().Format(time.RFC3339Nano)
	ask := func() {
		l.Must(apiserver.Admin, "", "patch", "application", name, "--namespace=argocd", "--type=merge",
			`--patch={"operation":{"info":[{"name":"mark","value":"`+mark+`"}],"sync":{"prune":true,"syncOptions":["`+strings.Join(append(more, "ServerSideApply=true"), `","`)+`"]}}}`)
	}
	ask()
	becomes(l.World, name, "is synced", func(a application) error {
		o := a.Status.OperationState
		marked := len(o.Operation.Info) == 1 && o.Operation.Info[0].Value == mark
		if !marked && o.Phase != "Running" && a.Operation == nil { // Argo CD's own sync came first, and took the place
			ask()
		}
		if !marked || o.Phase != "Succeeded" {
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
		before := l.all().Writes()
		l.git.Edit(change.file, change.old, change.text)
		l.push("one name more")
		l.answers(change.host, "192.168.10.9")
		l.shows(serving, "The node has its proven identity")
		if serial := api.AnnotationDNSSerial + ":" + fmt.Sprint(i+2); !strings.Contains(l.liveZone(), serial) {
			l.Errorf("no %s in %s", serial, l.liveZone())
		}
		l.all().Unwritten(before, l.all().Zone())
		live := l.liveZone()
		l.syncs() // and takes up the fields that the minter has taken over, once, without another value
		synced := l.all().Writes()
		l.syncs()
		l.all().Unwritten(synced)
		if after := l.liveZone(); after != live {
			l.Errorf("Argo CD makes\n%s\n of\n%s", after, live)
		}
	}
}

// restarts deletes the Pod.
//
// REQ: ST-05, ST-08
func (l *life) restarts() {
	before := l.all().Writes()
	l.Must(apiserver.Person, "", "cordon", lab.NodeName)
	l.Must(apiserver.Person, "", "delete", "pod", name+"-0", "--namespace="+namespace)
	l.shows(restarting, name+"-0 is not running, or not ready.")
	l.Must(apiserver.Person, "", "uncordon", lab.NodeName)
	l.shows(serving)
	l.all().Unwritten(before)
}
