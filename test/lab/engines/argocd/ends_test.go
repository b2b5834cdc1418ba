//go:build lab && linux

package argocd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// cascade deletes the Application and all that it may take with it, as Argo CD's
// pages do unless one chooses otherwise.
func (l *life) cascade() {
	l.Helper()
	l.Must(apiserver.Person, "", "patch", "application", name, "--namespace=argocd", "--type=merge", `--patch={"metadata":{"finalizers":["resources-finalizer.argocd.argoproj.io"]}}`)
	l.Must(apiserver.Person, "", "delete", "application", name, "--namespace=argocd", "--wait=false")
	l.Await("the Application is gone", func(ctx context.Context) error {
		_, err := l.Applications().Get(ctx, name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			return nil
		}
		return errors.Join(err, errors.New("it is not"))
	})
}

// retained loses its Application, and the custom resources with it. It has not said
// Delete: everything stays and serves. An Application that is made anew does not take
// it over: the messages say step by step what has to go before.
//
// REQ: RN-09, LC-14
func (l *life) retained() {
	before, records := l.versions(), l.records()
	l.cascade()
	if _, err := l.gateway(l.Context()); !apierrors.IsNotFound(err) {
		l.Errorf("the custom resource: %v", err)
	}
	l.answers("scanner.lab.example", "192.168.10.9")
	if after := l.versions(); !maps.Equal(before, after) {
		l.Errorf("the nine were written:\n%v\n%v", before, after)
	}
	for i, o := range l.records() {
		if o.GetUID() != records[i].GetUID() {
			l.Errorf("%s/%s was made anew", o.GetKind(), o.GetName())
		}
	}
	if n, err := l.Headscale().Node(l.Context(), name); err != nil || !n.Online || len(n.SubnetRoutes) != 3 {
		l.Errorf("Headscale has %+v: %v", n, err)
	}

	l.Must(apiserver.Person, "", "apply", "--filename="+l.Source("examples/argocd/application.yaml"))
	l.shows(retained, "does not belong to this gateway")
	l.clears()
	l.Approve(name, append(home, "192.168.30.0/24")...)
	l.shows(serving)
}

// clears runs the commands of the gateway's messages, each once, until its Pod is
// there.
func (l *life) clears() {
	l.Helper()
	var ran []string
	l.Await("nothing is in its way", func(ctx context.Context) error {
		g, err := l.gateway(ctx)
		if err != nil {
			return err
		}
		ready := condition(g.Status.Conditions, api.ConditionReady)
		if ready.Reason == api.ReasonRuntimeNotReady || ready.Reason == api.ReasonFreshRuntimeReady {
			return nil
		}
		if command := anyCommand.FindString(ready.Message); command != "" && !slices.Contains(ran, command) {
			ran = append(ran, command)
			l.runs(strings.Trim(command, "`"))
		}
		return fmt.Errorf("%s: %s", ready.Reason, ready.Message)
	})
	l.Logf("what had to go:\n%s", strings.Join(ran, "\n"))
}

func condition(list []metav1.Condition, kind string) metav1.Condition {
	if i := slices.IndexFunc(list, func(c metav1.Condition) bool { return c.Type == kind }); i >= 0 {
		return list[i]
	}
	return metav1.Condition{}
}

// runs runs a command that a message has shown.
func (l *life) runs(command string) {
	l.Helper()
	args := strings.Fields(command)
	switch args[0] {
	case "kubectl":
		l.Must(apiserver.Person, "", args[1:]...)
	case "headscale":
		if err := l.Lab.Tailnet.CLI(l.Context(), nil, args[1:]...); err != nil {
			l.Fatalf("%s: %v", command, err)
		}
	default:
		l.Fatalf("a command of its own kind: %s", command)
	}
}

// ends consents to its teardown. Deleted by a person while Git still wants it, it is
// torn down, and nothing comes back by itself: what Argo CD heals then is an object that
// the server refuses. A sync of everything makes another gateway. With its Application it
// goes for good. (B15)
//
// REQ: LC-14, RN-09
func (l *life) ends() {
	l.git.Edit(gatewayFile, "  suspend: false\n", "  suspend: false\n  deletionPolicy: Delete\n")
	l.push("consent")
	l.Await("the finalizer is there", func(ctx context.Context) error {
		g, err := l.gateway(ctx)
		if err == nil && len(g.Finalizers) == 0 {
			err = errors.New("it is not")
		}
		return err
	})
	l.shows(serving)
	before := l.uids()
	l.Must(apiserver.Person, "", "delete", "tailnetgateway", name, "--timeout="+labtest.Deadline.String())
	l.stays("OutOfSync", "Running")
	l.gone()
	l.Run("argocd", "app", "terminate-op", name, "--server="+lab.ArgoCDAddress, "--plaintext")
	l.stays("OutOfSync", "Failed")
	l.push("again")
	l.Approve(name, append(home, "192.168.30.0/24")...)
	l.shows(serving)
	for key, uid := range l.uids() {
		if uid == before[key] {
			l.Errorf("%s has survived", key)
		}
	}
	l.cascade()
	l.gone()
}

// stays waits until the Application has a sync status, and its last sync a phase.
func (l *life) stays(sync, phase string) {
	l.Helper()
	becomes(l.World, name, "is "+sync+", "+phase, func(a application) error {
		if a.Status.Sync.Status != sync || a.Status.OperationState.Phase != phase {
			return errors.New("it is not")
		}
		return nil
	})
}

// uids are those of the nine and of what the minter keeps of the gateway.
func (l *life) uids() map[string]types.UID {
	l.Helper()
	nine, err := l.nine(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	uids := map[string]types.UID{}
	for key, o := range nine {
		uids[key] = o.GetUID()
	}
	for _, o := range l.records()[:4] {
		uids[o.GetKind()+"/"+o.GetName()] = o.GetUID()
	}
	if len(uids) != 13 {
		l.Fatalf("there are %v", uids)
	}
	return uids
}

// gone is no trace of the gateway, here and at Headscale.
func (l *life) gone() {
	l.Helper()
	left, err := l.labelled(l.Context(), "ConfigMap", "Service", "ServiceAccount", "StatefulSet", "PodDisruptionBudget", "Role", "RoleBinding", "Pod", "Secret")
	if err != nil || len(left) > 0 {
		l.Errorf("%v are left: %v", slices.Sorted(maps.Keys(left)), err)
	}
	nodes, err := l.Headscale().Nodes(l.Context())
	if err != nil {
		l.Fatal(err)
	}
	for _, n := range nodes {
		if n.Name == name {
			l.Errorf("Headscale has the node %+v", n)
		}
	}
}
