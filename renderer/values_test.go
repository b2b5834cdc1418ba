package renderer_test

import (
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestValues follows every value of testdata/full.in.yaml to where it must
// arrive, written down here once more by hand.
//
// REQ: CF-01, RN-05, RN-07, PD-08
func TestValues(t *testing.T) {
	g := mustRender(t, readFile(t, "testdata/full.in.yaml")).Gateways[0]
	n := decode(t, g)
	_, tailscale, coredns := n.containers(t)
	e := env(tailscale)
	for name, c := range map[string]struct{ got, want string }{
		"name":            {n.workload.Name, "a23456789-b23456789-c23456789-d234567890"},
		"namespace":       {n.workload.Namespace, "gateways"},
		"gateway UID":     {n.workload.Labels["tsunaro.io/gateway-uid"], "0f6bb1b4-8a1c-4a5c-9d3e-1c1f0c1a2b3c"},
		"state UID":       {n.workload.Labels["tsunaro.io/state-uid"], "7a0d9a2e-1b2c-4d3e-8f90-112233445566"},
		"hostname":        {e["TS_HOSTNAME"].Value, "office-gw"},
		"login server":    {e["TS_EXTRA_ARGS"].Value, "--reset --accept-routes=false --login-server=http://headscale.office.example:8080/base"},
		"routes":          {e["TS_ROUTES"].Value, "10.20.0.0/16,10.20.0.9/32,10.99.0.0/24,192.168.20.5/32,192.168.30.0/24,192.168.30.128/25"},
		"CA file":         {e["SSL_CERT_FILE"].Value, "/etc/tsunaro/ca/ca.crt"},
		"tailscale image": {tailscale.Image, "registry.example:5000/mirror/tailscale:v1.102.4@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
		"coredns image":   {coredns.Image, "registry.example/coredns:1.8.0.3-r2"},
		"DNS service":     {n.services[1].Name, "office-dns"},
		"cluster IP":      {n.services[1].Spec.ClusterIP, "10.96.0.60"},
		"LB service":      {n.services[2].Name, n.name + "-lb"},
		"LB IP":           {n.services[2].Spec.LoadBalancerIP, "10.99.0.53"},
		"pool label":      {n.services[2].Labels["quoted-oct"], "0777"},
		"pool keys":       {n.services[2].Annotations["tsunaro.io/pool-label-keys"], "example.com/pool,lb-pool,quoted-oct"},
		"cpu request":     {tailscale.Resources.Requests.Cpu().String(), "500m"},
		"memory request":  {tailscale.Resources.Requests.Memory().String(), "1G"},
		"cpu limit":       {tailscale.Resources.Limits.Cpu().String(), "1"},
		"memory limit":    {tailscale.Resources.Limits.Memory().String(), "1Gi"},
		"coredns limit":   {coredns.Resources.Limits.Memory().String(), "67108864"},
		"sysctl":          {n.pod().SecurityContext.Sysctls[0].Name + "=" + n.pod().SecurityContext.Sysctls[0].Value, "net.ipv4.ip_forward=1"},
		"node selector":   {n.pod().NodeSelector["site"] + n.pod().NodeSelector["example.com/zone"], "officea"},
		"serial":          {n.config.Annotations["tsunaro.io/dns-serial"], "1"},
		"hosts":           {n.config.Data["hosts"], "192.168.30.40 wiki.corp.example\n192.168.30.41 git.old.example\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	tolerations := n.pod().Tolerations
	if len(tolerations) != 2 || tolerations[0].Operator != corev1.TolerationOpExists || *tolerations[0].TolerationSeconds != 300 ||
		tolerations[1].Key != "gateway" || tolerations[1].Value != "true" {
		t.Errorf("tolerations: %+v", tolerations)
	}
	ca := slices.IndexFunc(n.pod().Volumes, func(v corev1.Volume) bool { return v.Name == "ca-bundle" })
	if ca < 0 || n.pod().Volumes[ca].ConfigMap.Name != "office-ca" || n.pod().Volumes[ca].ConfigMap.Items[0] != (corev1.KeyToPath{Key: "root.pem", Path: "ca.crt"}) {
		t.Errorf("CA volume: %+v", n.pod().Volumes)
	}
	for _, want := range []string{
		"office.example. 30 IN SOA office.example. hostmaster.invalid. 1 7200 900 1209600 30\n",
		"office.example. 30 IN NS office.example.\n",
		"office.example. 30 IN A 10.99.0.53\n",
		"*.apps.office.example. 30 IN AAAA 2001:db8::7\n",
		"mail.office.example. 30 IN A 192.168.30.5\nmail.office.example. 30 IN A 192.168.30.8\n",
		// The hosts source replaces the static set whole, both families.
		"printer.office.example. 30 IN A 192.168.30.77\nprinter.office.example. 30 IN AAAA 2001:db8::77\n",
	} {
		if !strings.Contains(n.config.Data["zone.db"], want) {
			t.Errorf("zone.db lacks %q:\n%s", want, n.config.Data["zone.db"])
		}
	}
	for _, never := range []string{"192.168.30.9\n", "elsewhere", "localhost"} {
		if strings.Contains(n.config.Data["zone.db"], never) {
			t.Errorf("zone.db holds %q", never)
		}
	}
	for _, want := range []string{"bind 0.0.0.0\n", "file zone.db office.example {\n        reload 1s\n", "prometheus :9153\n    reload\n",
		"hosts hosts corp.example {\n        fallthrough\n    }\n    cache 30\n    forward . 192.168.30.3 {\n        max_concurrent 1000\n"} {
		if !strings.Contains(n.config.Data["Corefile"], want) {
			t.Errorf("Corefile lacks %q:\n%s", want, n.config.Data["Corefile"])
		}
	}
}

// TestDefaults does the same for what testdata/minimal.in.yaml leaves out: these
// defaults are part of render format 1.
//
// REQ: LC-02, RN-11, RN-12
func TestDefaults(t *testing.T) {
	n := decode(t, mustRender(t, readFile(t, "testdata/minimal.in.yaml")).Gateways[0])
	_, tailscale, coredns := n.containers(t)
	for name, c := range map[string]struct{ got, want string }{
		"namespace":       {n.workload.Namespace, "tsunaro-system"},
		"hostname":        {env(tailscale)["TS_HOSTNAME"].Value, "gw"},
		"tailscale image": {tailscale.Image, "ghcr.io/tailscale/tailscale:v1.102.4"},
		"coredns image":   {coredns.Image, "registry.k8s.io/coredns/coredns:v1.14.6"},
		"gateway UID":     {n.workload.Labels["tsunaro.io/gateway-uid"], "${gw_gateway_uid:=<unbound>}"},
		"state UID":       {n.workload.Labels["tsunaro.io/state-uid"], "${gw_state_uid:=<unbound>}"},
	} {
		if c.got != c.want {
			t.Errorf("%s: %q, want %q", name, c.got, c.want)
		}
	}
	if _, ok := n.config.Data["hosts"]; ok {
		t.Error("a hosts key without extra zones (DN-09)")
	}
}
