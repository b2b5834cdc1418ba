//go:build lab && linux

package gateway

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
)

// arguments looks at how Tailscale was started, and at the settings that it has
// taken from there.
//
// REQ: PD-03, PD-07
func (g *gateway) arguments() {
	pod := g.AwaitReady(namespace, g.podName())
	c := g.container(pod, "tailscale")
	for name, want := range map[string]string{
		"TS_AUTH_ONCE": "false", "TS_EXTRA_ARGS": "--reset --accept-routes=false --login-server=" + lab.HeadscaleURL,
		"TS_ENABLE_METRICS": "true", "TS_LOCAL_ADDR_PORT": pod.Status.PodIP + ":8080",
	} {
		if got := c.env(name); got != want {
			g.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if c.env("TS_AUTHKEY") == "" {
		g.Error("there is no key")
	}
	for _, e := range pod.Spec.Containers[0].Env {
		if e.Name == "TS_AUTHKEY" && (e.Value != "" || e.ValueFrom == nil || e.ValueFrom.SecretKeyRef == nil) {
			g.Error("the key is not a reference to a Secret")
		}
	}
	var prefs struct {
		ControlURL          string
		RouteAll, CorpDNS   bool
		AdvertiseTags       []string
		AdvertiseRoutes     []string
		WantRunning, RunSSH bool
	}
	out := g.Exec(namespace, g.podName(), "tailscale", "tailscale", "debug", "prefs").Stdout
	if err := json.Unmarshal([]byte(out), &prefs); err != nil {
		g.Fatal(err)
	}
	if prefs.ControlURL != lab.HeadscaleURL || prefs.RouteAll || prefs.CorpDNS || prefs.RunSSH || len(prefs.AdvertiseTags) != 0 ||
		!slices.Equal(prefs.AdvertiseRoutes, []string{"10.99.0.0/24", "192.168.10.0/24"}) {
		g.Errorf("settings %+v", prefs)
	}
}

// probes asks what the kubelet and a monitor ask.
//
// REQ: PD-04, PD-07, PD-10
func (g *gateway) probes() {
	pod := g.AwaitReady(namespace, g.podName())
	for path, want := range map[string]string{
		":8080/healthz": "ok",
		":8080/metrics": "tailscaled_advertised_routes 2",
		":9153/metrics": `coredns_build_info{goversion=`,
	} {
		g.Await(path+" answers", func(ctx context.Context) error {
			body, err := g.Get(ctx, lab.OnNode, "http://"+pod.Status.PodIP+path)
			if err == nil && !strings.Contains(body, want) {
				g.Errorf("%s lacks %q:\n%s", path, want, body)
			}
			return err
		})
	}
	ports := map[string]int32{}
	for _, c := range append(pod.Spec.InitContainers, pod.Spec.Containers...) {
		if c.LivenessProbe != nil || c.StartupProbe != nil {
			g.Errorf("%s may be killed by a probe", c.Name)
		}
		for _, p := range c.Ports {
			ports[p.Name+" "+string(p.Protocol)] = p.ContainerPort
		}
	}
	for name, want := range map[string]int32{"kernel-health TCP": 8080, "metrics-dns TCP": 9153, "dns-udp UDP": 53, "dns-tcp TCP": 53} {
		if ports[name] != want {
			g.Errorf("port %s is %d, want %d", name, ports[name], want)
		}
	}
	health, dns := pod.Spec.Containers[0].ReadinessProbe, pod.Spec.Containers[1].ReadinessProbe
	if health == nil || health.HTTPGet == nil || health.HTTPGet.Path != "/healthz" || health.HTTPGet.Port.StrVal != "kernel-health" {
		g.Errorf("Tailscale's readiness: %+v", health)
	}
	if dns == nil || dns.TCPSocket == nil || dns.TCPSocket.Port.StrVal != "dns-tcp" {
		g.Errorf("CoreDNS's readiness: %+v", dns)
	}
}

// volumes looks at what each container has mounted.
//
// REQ: PD-05, PD-07, PD-10
func (g *gateway) volumes() {
	pod := g.AwaitReady(namespace, g.podName())
	uid := string(pod.UID)
	for name, want := range map[string][]string{
		"kernel-preflight": {"tun"},
		"tailscale":        {"ca-bundle", "kube-api-access", "run", "state", "tmp", "tun"},
		"coredns":          {"config"},
	} {
		var got []string
		for _, m := range g.container(pod, name).spec.Mounts {
			volume := volumeOf(uid, m.Source)
			if volume == "" {
				continue
			}
			got = append(got, volume)
			readOnly := slices.Contains(m.Options, "ro")
			if want := volume == "ca-bundle" || volume == "kube-api-access" || volume == "config" || name == "kernel-preflight"; readOnly != want {
				g.Errorf("%s: %s is mounted with %v", name, m.Destination, m.Options)
			}
		}
		if slices.Sort(got); !slices.Equal(got, want) {
			g.Errorf("%s has the volumes %v, want %v", name, got, want)
		}
	}
	tun := g.Exec(namespace, g.podName(), "tailscale", "stat", "-c", "%F %t:%T", "/dev/net/tun").Stdout
	if want := "character special file a:c8\n"; tun != want {
		g.Errorf("/dev/net/tun: %q, want %q", tun, want)
	}
	for _, v := range pod.Spec.Volumes {
		if v.Name == "tun" && (v.HostPath == nil || *v.HostPath.Type != corev1.HostPathCharDev) {
			g.Errorf("tun: %+v", v)
		}
	}
	// The directory itself is the volume, and so follows its ConfigMap.
	dns := g.container(pod, "coredns")
	if root := dns.mounts["/etc/coredns"].root; !strings.HasSuffix(root, "/volumes/kubernetes.io~configmap/config") || dns.spec.Process.Cwd != "/etc/coredns" {
		g.Errorf("CoreDNS works in %s, where %s is mounted", dns.spec.Process.Cwd, root)
	}
}

// volumeOf is the volume of a Pod whose directory on the node the source is; ""
// is what every container gets.
func volumeOf(uid, source string) string {
	if source == "/dev/net/tun" {
		return "tun"
	}
	_, volume, _ := strings.Cut(source, "/pods/"+uid+"/volumes/")
	_, name, _ := strings.Cut(volume, "/")
	return name
}

// pinned looks at what the spec asks for, where it has arrived, and tries to change
// it.
//
// REQ: PD-08, UP-11
func (g *gateway) pinned() {
	pod := g.AwaitReady(namespace, g.podName())
	if got := g.Exec(namespace, g.podName(), "tailscale", "cat", "/proc/sys/net/ipv4/ip_forward").Stdout; got != "1\n" {
		g.Errorf("forwarding is %q in the Pod", got)
	}
	for name, want := range map[string]int64{"tailscale": 128 << 20, "coredns": 96 << 20} {
		if got := g.container(pod, name).spec.Linux.Resources.Memory.Limit; got != want {
			g.Errorf("%s may use %d bytes, want %d", name, got, want)
		}
	}
	if !slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool { return t.Key == "lab" && t.Operator == corev1.TolerationOpExists }) {
		g.Errorf("tolerations %+v", pod.Spec.Tolerations)
	}
	for _, change := range [][2]string{{"memory: 128Mi", "memory: 64Mi"}, {"name: net.ipv4.ip_forward", "name: net.ipv4.ip_default_ttl"}} {
		other := strings.ReplaceAll(g.manifest, change[0], change[1])
		r := g.Kubectl(apiserver.Person, other, "apply", "--server-side", "--dry-run=server", "-f", "-")
		if r.Code == 0 || other == g.manifest || !strings.Contains(r.Stderr, "StatefulSet "+g.name+" of gateway "+g.name+" is pinned") {
			g.Errorf("%q: exit code %d\n%s", change, r.Code, r.Stderr)
		}
	}
}
