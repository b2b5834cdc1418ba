package objects

import (
	"strings"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/plan"
)

const (
	volumeConfig = "config"
	volumeTUN    = "tun"
	volumeToken  = "kube-api-access"
	volumeState  = "state"
	volumeRun    = "run"
	volumeTmp    = "tmp"
	volumeCA     = "ca-bundle"

	tunDevice = "/dev/net/tun"
	stateDir  = "/var/lib/tailscale"
	dnsDir    = "/etc/coredns"
	caDir     = "/etc/tsunaro/ca"
	caFile    = "ca.crt"

	readOnly = 0o644
)

// volumes: the configuration directory is projected whole, since a subPath mount
// never changes (B33); the token is short-lived and rotated (PD-05, PD-07).
func volumes(in model.Inputs) []volume {
	vs := []volume{
		{Name: volumeConfig, ConfigMap: &configMapVolume{
			Name: api.CoreDNSName(in.Gateway.Name), Items: dnsFiles(in), DefaultMode: readOnly,
		}},
		{Name: volumeTUN, HostPath: &hostPathVolume{tunDevice, "CharDevice"}},
		{Name: volumeToken, Projected: &projectedVolume{
			Sources: []volumeProjection{
				{ServiceAccountToken: &serviceAccountTokenProjection{ExpirationSeconds: 3600, Path: "token"}},
				{ConfigMap: &configMapProjection{Name: "kube-root-ca.crt", Items: []keyToPath{{"ca.crt", "ca.crt"}}}},
				{DownwardAPI: &downwardAPIProjection{[]downwardAPIFile{{"namespace", fieldRef{"v1", "metadata.namespace"}}}}},
			},
			DefaultMode: readOnly,
		}},
		{Name: volumeState, EmptyDir: &emptyDirVolume{"64Mi"}},
		{Name: volumeRun, EmptyDir: &emptyDirVolume{"16Mi"}},
		{Name: volumeTmp, EmptyDir: &emptyDirVolume{"64Mi"}},
	}
	if ca := in.Tailnet.CABundle; ca != nil {
		vs = append(vs, volume{Name: volumeCA, ConfigMap: &configMapVolume{
			Name: ca.Name, Items: []keyToPath{{ca.Key, caFile}}, DefaultMode: readOnly,
		}})
	}
	return vs
}

func dnsFiles(in model.Inputs) []keyToPath {
	files := []keyToPath{{api.DataCorefile, api.DataCorefile}, {api.DataZone, api.DataZone}}
	if len(in.Gateway.DNS.ExtraZones) > 0 {
		files = append(files, keyToPath{api.DataHosts, api.DataHosts})
	}
	return files
}

func newContainer(name string, image model.Image, sc securityContext) container {
	return container{
		Name:                     name,
		Image:                    string(image),
		TerminationMessagePath:   "/dev/termination-log",
		TerminationMessagePolicy: "File",
		ImagePullPolicy:          "IfNotPresent",
		SecurityContext:          sc,
	}
}

func unprivileged() securityContext {
	return securityContext{
		Capabilities:           capabilities{Drop: []string{"ALL"}},
		RunAsUser:              nobody,
		RunAsGroup:             nobody,
		RunAsNonRoot:           true,
		ReadOnlyRootFilesystem: true,
	}
}

func newProbe() *probe {
	return &probe{TimeoutSeconds: 1, PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3}
}

func newResources(r model.Resources) resources {
	return resources{Limits: stringMap(r.Limits), Requests: stringMap(r.Requests)}
}

func stringMap(pairs []model.Pair) map[string]string {
	if len(pairs) == 0 {
		return nil
	}
	m := make(map[string]string, len(pairs))
	for _, p := range pairs {
		m[p.Key] = p.Value
	}
	return m
}

func sysctls(pairs []model.Pair) []sysctl {
	var out []sysctl
	for _, p := range pairs {
		out = append(out, sysctl{p.Key, p.Value})
	}
	return out
}

func tolerations(ts []model.Toleration) []toleration {
	var out []toleration
	for _, t := range ts {
		out = append(out, toleration{t.Key, t.Operator, t.Value, t.Effect, t.Seconds})
	}
	return out
}

// routeList is the value of TS_ROUTES.
func routeList(routes []plan.Route) string {
	prefixes := make([]string, len(routes))
	for i, r := range routes {
		prefixes[i] = r.Prefix.String()
	}
	return strings.Join(prefixes, ",")
}
