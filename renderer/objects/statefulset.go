package objects

import (
	_ "embed" // for the preflight script

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/plan"
)

// Names within the Pod that other objects, probes and monitors refer to (PD-10).
const (
	containerPreflight = "kernel-preflight"
	containerTailscale = "tailscale"
	containerCoreDNS   = "coredns"

	portHealth  = "kernel-health" // 8080
	portMetrics = "metrics-dns"   // 9153
	portDNSUDP  = "dns-udp"       // 53
	portDNSTCP  = "dns-tcp"       // 53
)

// nobody is the user of every container that needs no root.
const nobody = 65532

// newStatefulSet is the one Pod that is the gateway. Updates wait until someone
// deletes the Pod: restarting a gateway is a person's decision (RN-03).
func newStatefulSet(in model.Inputs, p plan.Plan) statefulSet {
	return statefulSet{
		typeMeta: typeMeta{"apps/v1", "StatefulSet"},
		Metadata: meta(in, in.Gateway.Name, nil),
		Spec: statefulSetSpec{
			Replicas: 1,
			Selector: labelSelector{uids(in)},
			Template: podTemplate{
				Metadata: objectMeta{Labels: labels(in)},
				Spec:     newPodSpec(in, p),
			},
			ServiceName:          in.Gateway.Name,
			PodManagementPolicy:  "OrderedReady",
			UpdateStrategy:       updateStrategy{"OnDelete"},
			RevisionHistoryLimit: 10,
			PVCRetention:         pvcRetention{"Retain", "Retain"},
		},
	}
}

func newPodSpec(in model.Inputs, p plan.Plan) podSpec {
	g := in.Gateway
	return podSpec{
		Volumes:                       volumes(in),
		InitContainers:                []container{preflight(in)},
		Containers:                    []container{tailscale(in, p), coreDNS(in)},
		RestartPolicy:                 "Always",
		TerminationGracePeriodSeconds: 30,
		DNSPolicy:                     "ClusterFirst",
		NodeSelector:                  stringMap(g.Pod.NodeSelector),
		ServiceAccountName:            g.Name,
		ServiceAccount:                g.Name,
		SecurityContext: podSecurityContext{
			Sysctls:        sysctls(g.Pod.Sysctls),
			SeccompProfile: seccompProfile{"RuntimeDefault"},
		},
		// The images exist for these platforms and no other (PD-10).
		Affinity: affinity{nodeAffinity{nodeSelector{[]nodeSelectorTerm{{[]nodeRequirement{
			{"kubernetes.io/os", "In", []string{"linux"}},
			{"kubernetes.io/arch", "In", []string{"amd64", "arm64"}},
		}}}}}},
		SchedulerName: "default-scheduler",
		Tolerations:   tolerations(g.Pod.Tolerations),
	}
}

//go:embed preflight.sh
var preflightScript string

// preflight stops a Pod on a node that cannot route, before it takes on the
// identity. It reads two files and holds no privilege (PD-02).
func preflight(in model.Inputs) container {
	c := newContainer(containerPreflight, in.Gateway.Images.Tailscale, unprivileged())
	c.Command = []string{"/bin/sh", "-c", preflightScript}
	c.VolumeMounts = []volumeMount{{Name: volumeTUN, ReadOnly: true, MountPath: tunDevice}}
	c.TerminationMessagePolicy = "FallbackToLogsOnError" // the Pod's status shows why
	return c
}

// tailscale is the node: kernel mode as root with NET_ADMIN and nothing else
// (PD-01), authenticated by the minter's key and tagged by it (PD-03).
func tailscale(in model.Inputs, p plan.Plan) container {
	sc := securityContext{
		Capabilities:           capabilities{Add: []string{"NET_ADMIN"}, Drop: []string{"ALL"}},
		ReadOnlyRootFilesystem: true,
	}
	c := newContainer(containerTailscale, in.Gateway.Images.Tailscale, sc)
	c.Ports = []containerPort{{portHealth, 8080, "TCP"}}
	c.Env = tailscaleEnv(in, p)
	c.Resources = newResources(in.Gateway.Pod.Tailscale)
	c.VolumeMounts = []volumeMount{
		{Name: volumeTUN, MountPath: tunDevice},
		{Name: volumeToken, ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"},
		{Name: volumeState, MountPath: stateDir},
		{Name: volumeRun, MountPath: "/var/run/tailscale"},
		{Name: volumeTmp, MountPath: "/tmp"},
	}
	if in.Tailnet.CABundle != nil {
		c.VolumeMounts = append(c.VolumeMounts, volumeMount{Name: volumeCA, ReadOnly: true, MountPath: caDir})
	}
	c.ReadinessProbe = newProbe()
	c.ReadinessProbe.HTTPGet = &httpGetAction{Path: "/healthz", Port: portHealth, Scheme: "HTTP"}
	return c
}

func tailscaleEnv(in model.Inputs, p plan.Plan) []envVar {
	g := in.Gateway
	env := []envVar{
		{Name: "POD_IP", ValueFrom: &envVarSource{FieldRef: &fieldRef{"v1", "status.podIP"}}},
		{Name: "TS_AUTHKEY", ValueFrom: &envVarSource{SecretKeyRef: &secretKeyRef{Name: api.AuthSecretName(g.Name), Key: api.AuthSecretKey}}},
		{Name: "TS_KUBE_SECRET", Value: api.StateSecretName(g.Name)},
		// The API server's address comes from the Pod's environment: a gateway
		// that serves DNS must not need DNS to read its own state.
		{Name: "TS_KUBERNETES_READ_API_SERVER_ADDRESS_FROM_ENV", Value: "true"},
		{Name: "TS_HOSTNAME", Value: g.Hostname},
		{Name: "TS_ROUTES", Value: routeList(p.Routes)},
		{Name: "TS_AUTH_ONCE", Value: "false"},
		{Name: "TS_EXTRA_ARGS", Value: "--reset --accept-routes=false --login-server=" + in.Tailnet.ControlURL},
		{Name: "TS_USERSPACE", Value: "false"},
		{Name: "TS_ACCEPT_DNS", Value: "false"},
		{Name: "TS_DEBUG_FIREWALL_MODE", Value: "nftables"},
		{Name: "TS_STATE_DIR", Value: stateDir},
		{Name: "TS_SOCKET", Value: "/var/run/tailscale/tailscaled.sock"},
		{Name: "TS_LOCAL_ADDR_PORT", Value: "$(POD_IP):8080"},
		{Name: "TS_ENABLE_HEALTH_CHECK", Value: "true"},
		{Name: "TS_ENABLE_METRICS", Value: "true"},
		// A Headscale tailnet's logs are nobody else's business.
		{Name: "TS_NO_LOGS_NO_SUPPORT", Value: "true"},
	}
	if ca := in.Tailnet.CABundle; ca != nil {
		env = append(env, envVar{Name: "SSL_CERT_FILE", Value: caDir + "/" + caFile})
	}
	return env
}

// coreDNS serves the zone from the projected directory (PD-07).
func coreDNS(in model.Inputs) container {
	sc := unprivileged()
	sc.Capabilities.Add = []string{"NET_BIND_SERVICE"}
	c := newContainer(containerCoreDNS, in.Gateway.Images.CoreDNS, sc)
	c.Args = []string{"-conf", api.DataCorefile}
	c.WorkingDir = dnsDir
	c.Ports = []containerPort{{portDNSUDP, 53, "UDP"}, {portDNSTCP, 53, "TCP"}, {portMetrics, 9153, "TCP"}}
	c.Resources = newResources(in.Gateway.Pod.CoreDNS)
	c.VolumeMounts = []volumeMount{{Name: volumeConfig, ReadOnly: true, MountPath: dnsDir}}
	c.ReadinessProbe = newProbe()
	c.ReadinessProbe.TCPSocket = &tcpSocketAction{portDNSTCP}
	return c
}
