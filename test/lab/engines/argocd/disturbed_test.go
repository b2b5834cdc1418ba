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
)

// routes changes them in Git: the Pod then runs an older template, and is named (B09).
//
// REQ: ST-05, ST-08
func (l *life) routes() {
	l.Approve(name, append(home, "192.168.30.0/24")...)
	l.git.Edit(gatewayFile, `lan: ["192.168.10.0/24"]`, `lan: ["192.168.10.0/24", "192.168.30.0/24"]`)
	l.push("one route more")
	l.shows(oldTemplate, name+"-0 runs an older template: delete it when an interruption is convenient.")
	nodes, err := tree(l.Context(), l.World, name)
	if err != nil {
		l.Fatal(err)
	}
	if h := find(nodes, "StatefulSet", name).Health; h == nil || h.Status != "Healthy" {
		l.Errorf("the tree shows the StatefulSet as %+v: nothing there tells of the older template", h)
	}
	l.Must(apiserver.Person, "", "delete", "pod", name+"-0", "--namespace="+namespace)
	l.Await("the route is advertised", func(ctx context.Context) error {
		g, err := l.gateway(ctx)
		if err == nil && len(g.Status.AdvertisedRoutes) != 3 {
			err = fmt.Errorf("only %v", g.Status.AdvertisedRoutes)
		}
		return err
	})
	l.shows(serving)
}

// noAddress loses the address of its Service, which is then Progressing to Argo CD,
// and holds nobody.
//
// REQ: ST-05, UP-04
func (l *life) noAddress() {
	l.TakeAddress(namespace, api.LBServiceName(name))
	l.shows(noAddress, "Service/"+namespace+"/"+api.LBServiceName(name)+" has no address yet")
	nodes, err := tree(l.Context(), l.World, name)
	if err != nil {
		l.Fatal(err)
	}
	if h := find(nodes, "Service", api.LBServiceName(name)).Health; h == nil || h.Status != "Progressing" {
		l.Errorf("the tree shows the Service as %+v", h)
	}
	l.GiveAddresses()
	l.Await("the address is back", func(ctx context.Context) error {
		g, err := l.gateway(ctx)
		if err == nil && g.Status.ServiceIP == "" {
			err = errors.New("it is not")
		}
		return err
	})
	l.shows(serving)
}

// suspended is so in Git.
//
// REQ: ST-05
func (l *life) suspended() {
	l.git.Edit(gatewayFile, "suspend: false", "suspend: true")
	l.push("suspend")
	l.shows(suspended)
	l.git.Edit(gatewayFile, "suspend: true", "suspend: false")
	l.push("resume")
	l.shows(serving)
}

// identity changes a field that makes it another node, and takes that back.
//
// REQ: ST-05
func (l *life) identity() {
	l.git.Edit(gatewayFile, `tags: ["tag:gateway"]`, `tags: ["tag:other"]`)
	l.push("another tag")
	l.shows(identity, "spec.tags of TailnetGateway/"+name+" was changed, which needs a new node: revert it")
	l.git.Edit(gatewayFile, `tags: ["tag:other"]`, `tags: ["tag:gateway"]`)
	l.push("the tag as it was")
	l.shows(serving)
}

// pinned changes a field in Git that admission refuses, already when Argo CD compares:
// the Application says why, and is else as it was. Another gateway's Application comes
// up meanwhile. The commit that reverts the field mends it.
//
// REQ: UP-09, ST-05
func (l *life) pinned() {
	const tolerations = "    - {op: add, path: /spec/pod/tolerations, value: [{operator: Exists}]}\n"
	before := l.all().Writes()
	l.git.Append(kustomization, tolerations)
	l.push("tolerate everything")
	a := l.shows(pinned)
	for _, text := range []string{"'tsunaro-pinned'", "StatefulSet " + name, "spec.template.spec.tolerations"} {
		if m := a.Status.Conditions[0].Message; !strings.Contains(m, text) {
			l.Errorf("the Application does not say %s, but %q", text, m)
		}
	}
	l.neighbour()
	l.shows(pinned)
	l.git.Edit(kustomization, tolerations, "")
	l.push("do not")
	l.shows(serving)
	l.all().Unwritten(before)
}

// heals is changed by somebody who may: a field that is not pinned. Argo CD puts it
// right. The zone stays the minter's.
//
// REQ: DL-07, ST-06
func (l *life) heals() {
	before := l.liveZone()
	l.Must(apiserver.Person, "", "patch", "configmap", api.CoreDNSName(name), "--namespace="+namespace, "--type=merge", `--patch={"data":{"zone.db":"none"}}`)
	const other = "registry.k8s.io/coredns/coredns:v1.14.5"
	l.Must(apiserver.Person, "", "set", "image", "statefulset/"+name, "coredns="+other, "--namespace="+namespace)
	l.Await("the image is Git's again", func(ctx context.Context) error {
		s, err := l.Client(apiserver.Admin).AppsV1().StatefulSets(namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range s.Spec.Template.Spec.Containers {
			if c.Image == other {
				return errors.New("it is not")
			}
		}
		return nil
	})
	l.shows(serving)
	if after := l.liveZone(); after != before {
		l.Errorf("the zone was written: %s", after)
	}
}

// automated sets how the Application is synced.
func (l *life) automated(key string, value bool) {
	l.Helper()
	l.Must(apiserver.Person, "", "patch", "application", name, "--namespace=argocd", "--type=merge", fmt.Sprintf(`--patch={"spec":{"syncPolicy":{"automated":{%q:%t}}}}`, key, value))
}

// drifts is changed where no policy guards it, and nobody puts it right until the
// Application heals itself again.
//
// REQ: ST-06
func (l *life) drifts() {
	affinity := func(more ...string) apiserver.Result {
		l.Helper()
		return l.Kubectl(apiserver.Person, "", append([]string{"patch", "service", "lab-dns", "--namespace=" + namespace, "--type=merge", `--patch={"spec":{"sessionAffinity":"ClientIP"}}`}, more...)...)
	}
	l.automated("selfHeal", false)
	l.Must(apiserver.Admin, "", "delete", "validatingadmissionpolicybinding", "tsunaro-pinned")
	l.Await("the guard is gone", func(context.Context) error {
		if r := affinity(); r.Code != 0 {
			return errors.New(r.Stderr)
		}
		return nil
	})
	a := l.shows(drifted, "Service/"+namespace+"/lab-dns", "spec.sessionAffinity")
	if r := a.resource("Service", "lab-dns"); r.Status != "OutOfSync" {
		l.Errorf("the Service is %s", r.Status)
	}
	l.automated("selfHeal", true)
	l.shows(serving)
	l.Must(apiserver.Admin, "", "apply", "--server-side", "-k", l.Source("policies/admission"))
	l.Await("the guard is back", func(context.Context) error {
		if r := affinity("--dry-run=server"); !strings.Contains(r.Stderr, "tsunaro-pinned") {
			return errors.New(r.Stdout + r.Stderr)
		}
		return nil
	})
}

// unattended has no minter: it serves on, and what Git says is applied. Only what the
// minter would have to say is missing.
//
// REQ: OP-01, ST-05
func (l *life) unattended() {
	l.ScaleShipped(0)
	refresh(l.World, name)
	l.shows(unattended)
	l.answers("scanner.lab.example", "192.168.10.9")
	l.git.Edit(gatewayFile, "  dns:\n", "  poolLabels:\n    lb-pool: lan\n  dns:\n")
	l.push("another pool")
	l.shows(notSeen, "The minter has not seen this generation yet.")
	l.answers("scanner.lab.example", "192.168.10.9")
	l.ScaleShipped(1)
	l.shows(serving)
}

// unbuilt is refused by the function: what runs stays, and the Application says what
// to mend.
//
// REQ: ST-05
func (l *life) unbuilt() {
	before := l.all().Writes()
	l.git.Edit(gatewayFile, "zone: lab.example", "zone: lab_example.")
	l.push("a typing error")
	a := l.shows(unbuilt)
	if m := a.Status.Conditions[0].Message; !strings.Contains(m, "TailnetGateway/lab-gw") || !strings.Contains(m, "spec.dns.zone") {
		l.Errorf("the Application says %q", m)
	}
	l.git.Edit(gatewayFile, "zone: lab_example.", "zone: lab.example")
	l.push("mended")
	l.shows(serving)
	l.all().Unwritten(before)
}

// dropped is built without --enable-exec: kustomize leaves the function out and says
// nothing. The nine are then no part of the Application, and stay (B49).
//
// REQ: RN-09
func (l *life) dropped() {
	before := l.all().Writes()
	options := func(text string) {
		l.Helper()
		l.Must(apiserver.Admin, "", "patch", "configmap", "argocd-cm", "--namespace=argocd", "--type=merge", `--patch={"data":{"kustomize.buildOptions":"`+text+`"}}`)
	}
	options("--enable-alpha-plugins")
	becomes(l.World, name, "has lost the nine", func(a application) error {
		refreshes(l.World, name, "hard")
		if s := a.Status; s.Sync.Status != "Synced" || s.Health.Status != "Healthy" || a.resource("Role", name).Status == "Synced" {
			return errors.New("it has not")
		}
		return nil
	})
	l.syncs()
	l.all().Unwritten(before)
	options("--enable-alpha-plugins --enable-exec")
	becomes(l.World, name, "has the nine again", func(a application) error {
		refreshes(l.World, name, "hard")
		if a.resource("Role", name).Status != "Synced" {
			return errors.New("it has not")
		}
		return nil
	})
	l.shows(serving)
}
