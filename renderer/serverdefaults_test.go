package renderer_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// serverDefaults lists what API servers fill in when it is left out, and the
// numbers and paths of a Pod that others refer to, once more by hand.
func serverDefaults(t *testing.T, n nine) {
	s, p := n.workload.Spec, n.pod()
	got := map[string]any{
		"podManagementPolicy":           s.PodManagementPolicy,
		"revisionHistoryLimit":          *s.RevisionHistoryLimit,
		"pvc whenDeleted":               s.PersistentVolumeClaimRetentionPolicy.WhenDeleted,
		"pvc whenScaled":                s.PersistentVolumeClaimRetentionPolicy.WhenScaled,
		"terminationGracePeriodSeconds": *p.TerminationGracePeriodSeconds,
		"dnsPolicy":                     p.DNSPolicy,
		"restartPolicy":                 p.RestartPolicy,
		"schedulerName":                 p.SchedulerName,
		"serviceAccount":                p.DeprecatedServiceAccount,
		"seccompProfile":                p.SecurityContext.SeccompProfile.Type,
		"enableServiceLinks":            *p.EnableServiceLinks,
	}
	want := map[string]any{
		"podManagementPolicy": "OrderedReady", "revisionHistoryLimit": 10, "pvc whenDeleted": "Retain", "pvc whenScaled": "Retain",
		"terminationGracePeriodSeconds": 30, "dnsPolicy": "ClusterFirst", "restartPolicy": "Always", "schedulerName": "default-scheduler",
		"serviceAccount": n.name, "seccompProfile": "RuntimeDefault", "enableServiceLinks": false,
	}
	preflight, tailscale, coredns := n.containers(t)
	for _, c := range []corev1.Container{preflight, tailscale, coredns} {
		got[c.Name+" pull"], want[c.Name+" pull"] = c.ImagePullPolicy, "IfNotPresent"
		got[c.Name+" message"], want[c.Name+" message"] = c.TerminationMessagePath, "/dev/termination-log"
		for _, port := range c.Ports {
			got["port "+port.Name] = fmt.Sprint(port.ContainerPort, " ", port.Protocol)
		}
		if r := c.ReadinessProbe; r != nil {
			got[c.Name+" probe"] = fmt.Sprint(r.InitialDelaySeconds, r.TimeoutSeconds, r.PeriodSeconds, r.SuccessThreshold, r.FailureThreshold)
			want[c.Name+" probe"] = "0 1 10 1 3"
		}
		for _, m := range c.VolumeMounts {
			got[c.Name+" mounts "+m.Name] = fmt.Sprint(m.MountPath, " ", m.ReadOnly)
		}
	}
	maps.Copy(want, map[string]any{
		"port kernel-health": "8080 TCP", "port dns-udp": "53 UDP", "port dns-tcp": "53 TCP", "port metrics-dns": "9153 TCP",
		"kernel-preflight mounts tun":      "/dev/net/tun true",
		"tailscale mounts tun":             "/dev/net/tun false",
		"tailscale mounts kube-api-access": "/var/run/secrets/kubernetes.io/serviceaccount true",
		"tailscale mounts state":           "/var/lib/tailscale false",
		"tailscale mounts run":             "/var/run/tailscale false",
		"tailscale mounts tmp":             "/tmp false",
		"coredns mounts config":            "/etc/coredns true",
	})
	if _, ok := got["tailscale mounts ca-bundle"]; ok {
		want["tailscale mounts ca-bundle"] = "/etc/tsunaro/ca true"
	}
	for _, v := range p.Volumes {
		switch {
		case v.EmptyDir != nil:
			got["volume "+v.Name] = v.EmptyDir.SizeLimit.String()
		case v.ConfigMap != nil:
			got["volume "+v.Name], want["volume "+v.Name] = *v.ConfigMap.DefaultMode, 0o644
		case v.Projected != nil:
			got["volume "+v.Name], want["volume "+v.Name] = *v.Projected.DefaultMode, 0o644
			got["CA of the API server"] = v.Projected.Sources[1].ConfigMap.Name
		}
	}
	maps.Copy(want, map[string]any{"volume state": "64Mi", "volume run": "16Mi", "volume tmp": "64Mi", "CA of the API server": "kube-root-ca.crt"})
	e := env(tailscale)
	for name, value := range map[string]string{
		"TS_STATE_DIR": "/var/lib/tailscale", "TS_SOCKET": "/var/run/tailscale/tailscaled.sock",
		"TS_DEBUG_FIREWALL_MODE": "nftables", "TS_KUBERNETES_READ_API_SERVER_ADDRESS_FROM_ENV": "true",
	} {
		got[name], want[name] = e[name].Value, value
	}
	for i, svc := range n.services {
		id := fmt.Sprint("service ", i)
		got[id] = fmt.Sprint(svc.Spec.SessionAffinity, *svc.Spec.InternalTrafficPolicy, svc.Spec.ExternalTrafficPolicy, svc.Spec.ClusterIPs)
		want[id] = fmt.Sprint("None", "Cluster", map[bool]string{true: "Cluster"}[i == 2], clusterIPs(svc))
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if fmt.Sprint(got[key]) != fmt.Sprint(want[key]) {
			t.Errorf("%s is %v, want %v", key, got[key], want[key])
		}
	}
	for key := range want {
		if _, ok := got[key]; !ok {
			t.Errorf("%s is not there", key)
		}
	}
	if n.config.Annotations["argocd.argoproj.io/sync-options"] != "Prune=false,Delete=false,ServerSideApply=true" {
		t.Error("Argo CD would apply the ConfigMap client-side")
	}
}

func clusterIPs(s corev1.Service) []string {
	if s.Spec.ClusterIP == "" {
		return nil
	}
	return []string{s.Spec.ClusterIP}
}
