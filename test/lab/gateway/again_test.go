//go:build lab && linux

package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// again ends the key at Headscale and then the Pod, in two ways. What comes back
// is the node that it was.
//
// REQ: PD-09
func (g *gateway) again() {
	was := g.online()
	if err := g.headscale.Call(g.Context(), http.MethodPost, "/api/v1/preauthkey/expire", map[string]any{"id": g.keyID}, nil); err != nil {
		g.Fatal(err)
	}
	g.keyIsDead()

	old := g.AwaitReady(namespace, g.podName())
	if err := g.Client(apiserver.Person).CoreV1().Pods(namespace).Delete(g.Context(), old.Name, metav1.DeleteOptions{}); err != nil {
		g.Fatal(err)
	}
	pod := g.AwaitPod(namespace, old.Name, "is another one", func(pod *corev1.Pod) error {
		if pod.UID == old.UID {
			return errors.New("it is the old one")
		}
		return labtest.Ready(pod)
	})
	g.same(was, pod)

	restarts, others := labtest.Container(pod, "tailscale").RestartCount, labtest.Container(pod, "coredns").RestartCount
	id := strings.TrimPrefix(labtest.Container(pod, "tailscale").ContainerID, "containerd://")
	g.ctr("tasks", "kill", "--signal=SIGKILL", "--all", id)
	pod = g.AwaitPod(namespace, pod.Name, "has another container", func(pod *corev1.Pod) error {
		c := labtest.Container(pod, "tailscale")
		if c.RestartCount != restarts+1 || c.State.Running == nil {
			return errors.New("it was not restarted")
		}
		return labtest.Ready(pod)
	})
	if dns := labtest.Container(pod, "coredns"); dns.RestartCount != others {
		g.Errorf("CoreDNS was restarted %d times", dns.RestartCount-others)
	}
	g.same(was, pod)
}

// keyIsDead shows that Headscale lets nobody in with the key any more.
func (g *gateway) keyIsDead() {
	g.Helper()
	var list struct {
		PreAuthKeys []struct {
			ID         string
			Expiration time.Time
		}
	}
	if err := g.headscale.Call(g.Context(), http.MethodGet, "/api/v1/preauthkey", nil, &list); err != nil {
		g.Fatal(err)
	}
	for _, k := range list.PreAuthKeys {
		if k.ID == g.keyID && k.Expiration.Before(time.Now()) {
			return
		}
	}
	g.Fatalf("key %s is not expired: %+v", g.keyID, list)
}

// same checks that the node is the one that it was, and does what it did.
func (g *gateway) same(was labtest.Node, pod *corev1.Pod) {
	g.Helper()
	is := g.online()
	if is.ID != was.ID || is.NodeKey != was.NodeKey || fmt.Sprint(is.Addresses) != fmt.Sprint(was.Addresses) || fmt.Sprint(is.Tags) != fmt.Sprint(was.Tags) {
		g.Errorf("the node is %+v, was %+v", is, was)
	}
	g.Await("the laptop reaches the LAN host again", func(ctx context.Context) error {
		seen, err := g.Get(ctx, lab.OnLaptop, lanURL)
		if err == nil && !strings.HasPrefix(seen, pod.Status.PodIP+":") {
			err = fmt.Errorf("the LAN host sees %q, want %s", seen, pod.Status.PodIP)
		}
		return err
	})
}
