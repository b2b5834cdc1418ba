package renderer_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func (n nine) pod() corev1.PodSpec { return n.workload.Spec.Template.Spec }

func (n nine) containers(t *testing.T) (preflight, tailscale, coredns corev1.Container) {
	t.Helper()
	p := n.pod()
	if len(p.InitContainers) != 1 || len(p.Containers) != 2 || len(p.EphemeralContainers) != 0 ||
		p.InitContainers[0].Name != "kernel-preflight" || p.Containers[0].Name != "tailscale" || p.Containers[1].Name != "coredns" {
		t.Fatalf("containers: %+v", p)
	}
	return p.InitContainers[0], p.Containers[0], p.Containers[1]
}

func privileges(t *testing.T, n nine) {
	p := n.pod()
	if p.HostNetwork || p.HostPID || p.HostIPC || p.ShareProcessNamespace != nil || *p.AutomountServiceAccountToken || *n.account.AutomountServiceAccountToken {
		t.Errorf("host namespaces or token automount: %+v", p)
	}
	preflight, tailscale, coredns := n.containers(t)
	for _, want := range []struct {
		c    corev1.Container
		user int64
		add  []corev1.Capability
	}{
		{preflight, 65532, nil},
		{tailscale, 0, []corev1.Capability{"NET_ADMIN"}},
		{coredns, 65532, []corev1.Capability{"NET_BIND_SERVICE"}},
	} {
		sc := want.c.SecurityContext
		if *sc.RunAsUser != want.user || *sc.RunAsNonRoot != (want.user != 0) || !*sc.ReadOnlyRootFilesystem ||
			*sc.AllowPrivilegeEscalation || sc.Privileged != nil ||
			!slices.Equal(sc.Capabilities.Add, want.add) || !slices.Equal(sc.Capabilities.Drop, []corev1.Capability{"ALL"}) {
			t.Errorf("%s: %+v", want.c.Name, sc)
		}
	}
	// Who mounts what. The preflight sees the device read-only and only looks at
	// what kind of file it is.
	mounts := map[string][]string{}
	for _, c := range []corev1.Container{preflight, tailscale, coredns} {
		for _, m := range c.VolumeMounts {
			if m.SubPath != "" || m.SubPathExpr != "" {
				t.Errorf("%s mounts %s by subPath", c.Name, m.Name)
			}
			mounts[m.Name] = append(mounts[m.Name], c.Name)
		}
	}
	for volume, want := range map[string][]string{
		"tun": {"kernel-preflight", "tailscale"}, "kube-api-access": {"tailscale"}, "state": {"tailscale"},
		"run": {"tailscale"}, "tmp": {"tailscale"}, "config": {"coredns"},
	} {
		if !slices.Equal(mounts[volume], want) {
			t.Errorf("volume %s is mounted by %v, want %v", volume, mounts[volume], want)
		}
	}
	for _, v := range p.Volumes {
		if v.Secret != nil || v.HostPath != nil && v.Name != "tun" {
			t.Errorf("volume %s: %+v", v.Name, v)
		}
		if v.Name == "kube-api-access" {
			token := v.Projected.Sources[0].ServiceAccountToken
			if token == nil || *token.ExpirationSeconds != 3600 {
				t.Errorf("token: %+v", v.Projected.Sources)
			}
		}
	}
}

func preflight(t *testing.T, n nine) {
	c, tailscale, _ := n.containers(t)
	if c.Image != tailscale.Image || len(c.Env) != 0 || len(c.VolumeMounts) != 1 || !c.VolumeMounts[0].ReadOnly {
		t.Errorf("preflight: %+v", c)
	}
	if c.TerminationMessagePolicy != corev1.TerminationMessageFallbackToLogsOnError {
		t.Error("the Pod's status would not show why the preflight stopped it")
	}
}

func env(c corev1.Container) map[string]corev1.EnvVar {
	m := map[string]corev1.EnvVar{}
	for _, e := range c.Env {
		m[e.Name] = e
	}
	return m
}

func arguments(t *testing.T, n nine) {
	_, c, _ := n.containers(t)
	if len(c.Command)+len(c.Args) > 0 {
		t.Errorf("the image's own entry point is replaced: %v %v", c.Command, c.Args)
	}
	e := env(c)
	for name, want := range map[string]string{
		"TS_AUTH_ONCE": "false", "TS_USERSPACE": "false", "TS_ACCEPT_DNS": "false",
		"TS_KUBE_SECRET": n.name + "-state", "TS_NO_LOGS_NO_SUPPORT": "true",
	} {
		if e[name].Value != want {
			t.Errorf("%s is %q, want %q", name, e[name].Value, want)
		}
	}
	args := strings.Fields(e["TS_EXTRA_ARGS"].Value)
	if len(args) != 3 || args[0] != "--reset" || args[1] != "--accept-routes=false" || !strings.HasPrefix(args[2], "--login-server=http") {
		t.Errorf("TS_EXTRA_ARGS: %q", args)
	}
	for _, v := range c.Env {
		for _, forbidden := range []string{"--advertise-tags", "--force-reauth", "--auth-key", "--authkey", "--auto-update"} {
			if strings.Contains(v.Value, forbidden) {
				t.Errorf("%s holds %s", v.Name, forbidden)
			}
		}
	}
	key := e["TS_AUTHKEY"]
	if key.Value != "" || key.ValueFrom == nil || key.ValueFrom.SecretKeyRef == nil ||
		key.ValueFrom.SecretKeyRef.Name != n.name+"-auth" || *key.ValueFrom.SecretKeyRef.Optional {
		t.Errorf("TS_AUTHKEY: %+v", key)
	}
}

func probes(t *testing.T, n nine) {
	preflight, tailscale, coredns := n.containers(t)
	for _, c := range []corev1.Container{preflight, tailscale, coredns} {
		if c.LivenessProbe != nil || c.StartupProbe != nil || c.Lifecycle != nil {
			t.Errorf("%s has a probe that could restart it", c.Name)
		}
	}
	if g := tailscale.ReadinessProbe.HTTPGet; g == nil || g.Path != "/healthz" || g.Port.StrVal != "kernel-health" {
		t.Errorf("tailscale readiness: %+v", tailscale.ReadinessProbe)
	}
	if g := coredns.ReadinessProbe.TCPSocket; g == nil || g.Port.StrVal != "dns-tcp" {
		t.Errorf("coredns readiness: %+v", coredns.ReadinessProbe)
	}
	if e := env(tailscale); e["TS_ENABLE_HEALTH_CHECK"].Value != "true" {
		t.Error("the health endpoint is off")
	}
}

func configuration(t *testing.T, n nine) {
	_, tailscale, coredns := n.containers(t)
	if coredns.WorkingDir != "/etc/coredns" || !slices.Equal(coredns.Args, []string{"-conf", "Corefile"}) {
		t.Errorf("coredns runs %v in %s", coredns.Args, coredns.WorkingDir)
	}
	for _, v := range n.pod().Volumes {
		if v.Name != "config" {
			continue
		}
		if v.ConfigMap.Name != n.config.Name || len(v.ConfigMap.Items) != len(n.config.Data) {
			t.Errorf("config projects %+v, the ConfigMap has %d keys", v.ConfigMap, len(n.config.Data))
		}
		for _, item := range v.ConfigMap.Items {
			if _, ok := n.config.Data[item.Key]; !ok || item.Path != item.Key {
				t.Errorf("config item %+v", item)
			}
		}
	}
	e := env(tailscale)
	if e["TS_ENABLE_METRICS"].Value != "true" || e["TS_LOCAL_ADDR_PORT"].Value != "$(POD_IP):8080" {
		t.Errorf("metrics %q at %q", e["TS_ENABLE_METRICS"].Value, e["TS_LOCAL_ADDR_PORT"].Value)
	}
}

func platform(t *testing.T, n nine) {
	for _, v := range n.pod().Volumes {
		if v.Name == "tun" && (v.HostPath.Path != "/dev/net/tun" || *v.HostPath.Type != corev1.HostPathCharDev) {
			t.Errorf("tun: %+v", v.HostPath)
		}
	}
	_, tailscale, coredns := n.containers(t)
	var ports []string
	for _, p := range slices.Concat(tailscale.Ports, coredns.Ports) {
		if p.HostPort != 0 || p.HostIP != "" {
			t.Errorf("port %+v is the host's", p)
		}
		ports = append(ports, p.Name)
	}
	if want := []string{"kernel-health", "dns-udp", "dns-tcp", "metrics-dns"}; !slices.Equal(ports, want) {
		t.Errorf("ports %v, want %v", ports, want)
	}
	terms := n.pod().Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms
	if len(terms) != 1 || len(terms[0].MatchExpressions) != 2 || !slices.Equal(terms[0].MatchExpressions[1].Values, []string{"amd64", "arm64"}) {
		t.Errorf("platforms: %+v", terms)
	}
}
