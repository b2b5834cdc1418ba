//go:build lab && linux

package argocd

import (
	"context"
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// unmutated has a cluster that knows no mutating policies: Git binds the nine, and
// Argo CD is told what not to compare. It is Synced at rest and after the minter has
// changed the zone, which a sync does not take back.
//
// REQ: DL-07, RN-09
func (l *life) unmutated() {
	l.cascade()
	l.all().Gone()
	l.Must(apiserver.Admin, "", "delete", "mutatingadmissionpolicies,mutatingadmissionpolicybindings", "--all") // and what is below 1.36 is left
	l.restartServer()
	l.Must(apiserver.Admin, "", "patch", "configmap", "argocd-cm", "--namespace=argocd", "--patch-file="+l.Source("health/argocd/ignore-differences/argocd-cm.yaml"))
	l.git = l.Repository("older", "examples/argocd")
	l.git.Append(kustomization, labtest.HomeLayer)
	l.git.Push("at home in a lab")
	app := l.git.Read("examples/argocd/application.yaml")
	for old, text := range map[string]string{
		"gateways.git": "older.git",
		"  annotations:\n    argocd.argoproj.io/compare-options: ServerSideDiff=true,IncludeMutationWebhook=true\n": "",
		"    syncOptions:\n": "    syncOptions:\n    - RespectIgnoreDifferences=true\n",
	} {
		if strings.Count(app, old) != 1 {
			l.Fatalf("the example does not have %q", old)
		}
		app = strings.Replace(app, old, text, 1)
	}
	l.Must(apiserver.Person, app, "apply", "--filename=-")
	l.shows(unbound)

	l.bind()
	l.Approve(name, home...)
	l.shows(serving)
	l.git.Edit(hostsFile, "    192.168.10.8  printer.lab.example\n", "    192.168.10.8  printer.lab.example\n    192.168.10.9  scanner.lab.example\n")
	l.push("one name more")
	l.answers("scanner.lab.example", "192.168.10.9")
	l.shows(serving)
	live := l.liveZone()
	l.syncs("RespectIgnoreDifferences=true")
	if after := l.liveZone(); after != live {
		l.Errorf("Argo CD makes\n%s\n of\n%s", after, live)
	}
}

// restartServer makes the API server forget the registry that the policies that are
// gone have left it with (docs/binding.md).
func (l *life) restartServer() {
	l.Helper()
	for _, do := range []func(context.Context, string) error{l.Lab.StopComponent, l.Lab.StartComponent} {
		if err := do(l.Context(), "kube-apiserver"); err != nil {
			l.Fatal(err)
		}
	}
	l.Await("the API server is back", func(context.Context) error {
		if r := l.Kubectl(apiserver.Admin, "", "get", "--raw=/readyz"); r.Code != 0 {
			return errors.New(r.Stderr)
		}
		return nil
	})
}

// bind commits a copy of the registry, as soon as the gateway's entry is open.
func (l *life) bind() {
	l.Helper()
	l.Await("the gateway is bound", func(ctx context.Context) error {
		g, err := l.gateway(ctx)
		if err == nil && condition(g.Status.Conditions, api.ConditionBound).Status != metav1.ConditionTrue {
			err = fmt.Errorf("%s", condition(g.Status.Conditions, api.ConditionReady).Message)
		}
		return err
	})
	l.git.Write(directory+"bindings.yaml", l.Must(apiserver.Person, "", "get", "configmap", api.BindingsName, "--namespace="+namespace, "--output=yaml"))
	l.git.Edit(kustomization, "- hosts.yaml\n", "- hosts.yaml\n- bindings.yaml\n")
	l.push("bound")
}
