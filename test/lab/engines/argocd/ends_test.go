//go:build lab && linux

package argocd

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
	uids, writes, key := l.all().UIDs(), l.all().Writes(), l.workingKey().GetUID()
	l.cascade()
	if _, err := l.gateway(l.Context()); !apierrors.IsNotFound(err) {
		l.Errorf("the custom resource: %v", err)
	}
	l.answers("scanner.lab.example", "192.168.10.9")
	l.all().Unwritten(writes)
	delete(uids, api.KindTailnetGateway)
	l.all().Unreplaced(uids)
	if l.workingKey().GetUID() != key {
		l.Error("the working key was made anew")
	}
	headscale := l.Headscale()
	l.Await("the node serves its routes", func(ctx context.Context) error {
		n, err := headscale.Node(ctx, name)
		if err == nil && (!n.Online || len(n.SubnetRoutes) != 3) {
			err = fmt.Errorf("Headscale has %+v", n)
		}
		return err
	})

	l.Must(apiserver.Person, "", "apply", "--filename="+l.Source("examples/argocd/application.yaml"))
	l.shows(retained, "does not belong to this gateway")
	l.clears()
	l.Approve(name, append(home, "192.168.30.0/24")...)
	l.shows(serving)
}

// clears runs the commands of the gateway's messages, until nothing is in its way any
// more. Each is run again if it was asked for again much later.
func (l *life) clears() {
	l.Helper()
	const later = time.Minute
	var ran []string
	last := map[string]time.Time{}
	l.Await("nothing is in its way", func(ctx context.Context) error {
		g, err := l.gateway(ctx)
		if err != nil {
			return err
		}
		ready := condition(g.Status.Conditions, api.ConditionReady)
		switch ready.Reason {
		case api.ReasonAwaitingResources, api.ReasonRuntimeNotReady, api.ReasonFreshRuntimeReady:
			return nil
		}
		if command := labtest.Remedy(ready.Message); command != "" && time.Since(last[command]) > later {
			ran, last[command] = append(ran, command), time.Now()
			l.Obey(command)
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

// held is a finalizer of the tests' own.
const held = "example.com/held"

// ends consents to its teardown. Deleted by a person while Git still wants it, it is
// torn down. Argo CD has seen that while the custom resource was still there, which is
// held for that: what it then heals are objects that the server refuses, and nothing
// comes back by itself. A sync of everything makes another gateway. With its Application
// it goes for good. (B15)
//
// REQ: LC-14, RN-09
func (l *life) ends() {
	l.git.Edit(gatewayFile, "  suspend: false\n", "  suspend: false\n  deletionPolicy: Delete\n")
	l.push("consent")
	l.finalizers(api.FinalizerTeardown)
	l.shows(serving)
	before := l.all().UIDs()
	patch := func(operation string) {
		l.Helper()
		l.Must(apiserver.Person, "", "patch", "tailnetgateway", name, "--type=json", "--patch="+operation)
	}
	patch(`[{"op": "add", "path": "/metadata/finalizers/-", "value": "` + held + `"}]`)
	l.Must(apiserver.Person, "", "delete", "tailnetgateway", name, "--wait=false")
	becomes(l.World, name, "heals some of the nine, and not the custom resource", func(a application) error {
		o := a.Status.OperationState
		if list := o.Operation.Sync.Resources; o.Phase != "Running" || len(list) == 0 || slices.ContainsFunc(list, func(r resource) bool { return r.Kind == api.KindTailnetGateway }) {
			return fmt.Errorf("it heals %v", list)
		}
		return nil
	})
	l.finalizers(held) // it is torn down
	patch(`[{"op": "remove", "path": "/metadata/finalizers"}]`)
	l.all().AwaitGone()
	l.terminates()
	if l.all().Custom() != nil {
		l.Error("it has come back by itself")
	}
	l.all().Gone()
	l.push("again")
	l.Approve(name, append(home, "192.168.30.0/24")...)
	l.shows(serving)
	l.all().Renewed(before)
	l.cascade()
	l.all().Gone()
}

// finalizers waits until the custom resource has this one, and no other.
func (l *life) finalizers(only string) {
	l.Helper()
	l.Await("it has the finalizer "+only, func(ctx context.Context) error {
		g, err := l.gateway(ctx)
		if err == nil && !slices.Equal(g.Finalizers, []string{only}) {
			err = fmt.Errorf("it has %q", g.Finalizers)
		}
		return err
	})
}

// terminates ends the Application's sync, as a person does: once more where Argo CD has
// just begun another try, and forgets it.
func (l *life) terminates() {
	l.Helper()
	asked := 0 // the number of tries by then, and one
	becomes(l.World, name, "is OutOfSync, and its sync has failed", func(a application) error {
		o := a.Status.OperationState
		if o.Phase == "Running" && asked <= o.RetryCount {
			asked = o.RetryCount + 1
			r, err := l.Lab.Run(l.Context(), lab.Command{Args: []string{"argocd", "app", "terminate-op", name, "--server=" + lab.ArgoCDAddress, "--plaintext"}})
			if err != nil || r.Code != 0 { // it may have ended just then
				return fmt.Errorf("%v, %s", err, r.Stderr)
			}
		}
		if a.Status.Sync.Status != "OutOfSync" || o.Phase != "Failed" {
			return errors.New("it has not")
		}
		return nil
	})
}
