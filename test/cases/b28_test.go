package cases

import (
	"fmt"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// B28: extra arguments take effect at the first boot only, unknown ones stop the
// container, and asking for tags together with a key makes Headscale refuse.

// mustHave and mustNotHave hold for every gateway that can be written down.
var (
	mustHave    = map[string]string{"TS_AUTH_ONCE": "false", "TS_USERSPACE": "false", "TS_ACCEPT_DNS": "false"}
	mustNotHave = []string{"--advertise-tags", "--force-reauth", "--auto-update", "--authkey", "--auth-key", "--advertise-routes", "--ssh", "tag:"}
)

// REQ: PD-03
func TestB28(t *testing.T) {
	for why, files := range map[string]kustomize.Layer{
		"one tag":     nil,
		"three tags":  edited(t, "gateway.yaml", `["tag:gateway"]`, `["tag:gateway", "tag:a-b", "tag:c9"]`),
		"a hostname":  gateway("  hostname: other-name\n"),
		"no egress":   edited(t, "gateway.yaml", "    lan:", "    advertiseEgressTargets: false\n    lan:"),
		"another URL": edited(t, "tailnet.yaml", "https://headscale.example", "https://headscale.example:8443/prefix"),
		"plain http":  {"tailnet.yaml": strings.Replace(kustomize.Base()["tailnet.yaml"], "https:", "http:", 1) + "  allowHTTP: true\n"},
		"with a CA":   {"tailnet.yaml": kustomize.Base()["tailnet.yaml"] + "  caBundleConfigMapRef:\n    name: headscale-ca\n"},
		"sysctls":     gateway("  pod:\n    sysctls: [{name: net.ipv4.ip_forward, value: \"1\"}]\n"),
		"Delete":      gateway("  deletionPolicy: Delete\n"),
	} {
		t.Run(why, func(t *testing.T) {
			objects := kustomize.Parse(t, render(t, kustomize.Base().With(files)).Must(t).Stdout)
			vars := env(t, objects)
			for name, value := range mustHave {
				if vars[name] != value {
					t.Errorf("%s is %q, want %q", name, vars[name], value)
				}
			}
			args := strings.Fields(vars["TS_EXTRA_ARGS"])
			if len(args) != 3 || args[0] != "--reset" || args[1] != "--accept-routes=false" || !strings.HasPrefix(args[2], "--login-server=http") {
				t.Errorf("TS_EXTRA_ARGS is %q", args)
			}
			tailscale := kustomize.Container(t, objects[statefulSet], "tailscale")
			walk(tailscale, func(text string) {
				for _, flag := range mustNotHave {
					if strings.Contains(text, flag) {
						t.Errorf("%q holds %s", text, flag)
					}
				}
			})
			for _, field := range []string{"args", "command", "lifecycle", "envFrom", "livenessProbe"} {
				if value, ok := kustomize.At(tailscale, field); ok {
					t.Errorf("%s is %v", field, value)
				}
			}
			if from, ok := kustomize.At(tailscale, "env[1].valueFrom.secretKeyRef.name"); !ok || from != "gw1-auth" {
				t.Errorf("the key comes from %v", from)
			}
		})
	}
}

// There is no field for arguments, and no field that could carry one along.
//
// REQ: PD-03, CF-01
func TestB28NoWayIn(t *testing.T) {
	for _, path := range []string{"extraArgs", "args", "env", "pod.args", "pod.env", "pod.extraArgs", "pod.template", "pod.resources.tailscale.args", "images.args"} {
		t.Run(path, func(t *testing.T) {
			steps := strings.Split(path, ".")
			spec := ""
			for i, step := range steps {
				spec += strings.Repeat("  ", i+1) + step + ":\n"
			}
			spec += fmt.Sprintf("%s- --advertise-tags=tag:x\n", strings.Repeat("  ", len(steps)+1))
			render(t, kustomize.Base().With(gateway(spec))).Refused(t, "unknown-field TailnetGateway/gw1 spec."+path)
		})
	}
	const flag = "--advertise-tags=tag:x"
	for _, c := range []struct {
		files kustomize.Layer
		want  string
	}{
		{gateway("  hostname: \"gw1 " + flag + "\"\n"), "node-name TailnetGateway/gw1 spec.hostname"},
		{gateway("  hostname: \"" + flag + "\"\n"), "node-name TailnetGateway/gw1 spec.hostname"},
		{edited(t, "tailnet.yaml", "https://headscale.example", "https://headscale.example "+flag), "url Tailnet/home spec.controlURL"},
		{edited(t, "tailnet.yaml", "https://headscale.example", `"https://headscale.example\t`+flag+`"`), "url Tailnet/home spec.controlURL"},
		{edited(t, "tailnet.yaml", "https://headscale.example", "https://headscale.example/$(TS_AUTHKEY)"), "url Tailnet/home spec.controlURL"},
		{edited(t, "gateway.yaml", `["192.0.2.0/24"]`, `["192.0.2.0/24 `+flag+`"]`), "prefix TailnetGateway/gw1 spec.routes.lan[0]"},
		{edited(t, "gateway.yaml", `["tag:gateway"]`, `["tag:gateway `+flag+`"]`), "tag TailnetGateway/gw1 spec.tags[0]"},
	} {
		render(t, kustomize.Base().With(c.files)).Refused(t, c.want)
	}
}
