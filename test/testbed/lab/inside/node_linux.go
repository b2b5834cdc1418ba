package inside

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

func decode(r io.Reader, into any) error { return json.NewDecoder(r).Decode(into) }

const (
	runtimeSocket = "/run/containerd/containerd.sock" // where ctr looks for it
	cniDir        = sandbox.Work + "/cni"
)

// network of the Pods: a bridge on the node, which routes for them. Nothing is
// masqueraded, so that whoever a Pod talks to sees the Pod.
const cniConfig = `{"cniVersion": "1.0.0", "name": "lab", "plugins": [{
	"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
	"ipam": {"type": "host-local", "dataDir": "` + sandbox.Work + `/ipam", "ranges": [[{"subnet": "` + lab.PodCIDR + `"}]], "routes": [{"dst": "0.0.0.0/0"}]}}]}
`

// runtimeConfig is containerd's. A machine may forbid to lower the score by which
// the kernel picks whom to kill when memory ends, hence restrict_oom_score_adj.
const runtimeConfig = `version = 3
root = "` + sandbox.Work + `/containerd"
state = "` + sandbox.Work + `/containerd-state"
disabled_plugins = ["io.containerd.nri.v1.nri"]
[grpc]
  address = "` + runtimeSocket + `"
[plugins."io.containerd.internal.v1.opt"]
  path = "` + sandbox.Work + `/opt"
[plugins."io.containerd.cri.v1.images".pinned_images]
  sandbox = "` + lab.PauseImage + `"
[plugins."io.containerd.cri.v1.runtime"]
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.cri.v1.runtime".cni]
    bin_dirs = ["` + cniDir + `/bin"]
    conf_dir = "` + cniDir + `"
  [plugins."io.containerd.cri.v1.runtime".containerd]
    default_runtime_name = "runc"
    [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.cri.v1.runtime".containerd.runtimes.runc.options]
        BinaryName = "%s"
        SystemdCgroup = false
`

// cniPlugins are the programs that the configuration above names.
var cniPlugins = []string{"bridge", "host-local", "loopback"}

// node plans the container runtime, the kubelet, the Service proxy, the cluster's
// DNS and who gives load balancer addresses.
func (l *Lab) node() error {
	if err := l.containerd(); err != nil {
		return err
	}
	if err := l.kubelet(); err != nil {
		return err
	}
	if err := l.proxy(); err != nil {
		return err
	}
	l.step("node-ready", func(ctx context.Context) error {
		return l.find("kubelet").await(ctx, l.nodeReady)
	}, "kubelet", "images", "kube-proxy")
	if err := l.clusterDNS(); err != nil {
		return err
	}
	l.step("load-balancer", l.balancer, "kube-apiserver")
	return nil
}

func (l *Lab) containerd() error {
	for _, name := range cniPlugins {
		path := l.program("cni-" + name)
		if err := os.MkdirAll(cniDir+"/bin", 0o755); err != nil {
			return err
		}
		if err := os.Symlink(path, filepath.Join(cniDir, "bin", name)); err != nil {
			return err
		}
	}
	if _, err := l.write("cni/10-lab.conflist", []byte(cniConfig)); err != nil {
		return err
	}
	config, err := l.write("containerd.toml", fmt.Appendf(nil, runtimeConfig, l.program("runc")))
	if err != nil {
		return err
	}
	l.serve("containerd", runtimeSocket, func() *exec.Cmd {
		return l.command(lab.OnNode, l.program("containerd"), "--config="+config)
	}, func(ctx context.Context) error { return l.run(ctx, lab.OnNode, l.program("ctr"), "version") }, "network")
	needs := []string{"containerd"}
	for _, image := range l.spec.Images {
		name := "image " + image.Reference
		l.step(name, func(ctx context.Context) error {
			return l.run(ctx, lab.OnNode, l.program("ctr"), "images", "import", image.Archive)
		}, "containerd")
		needs = append(needs, name)
	}
	l.step("images", unchecked, needs...)
	return nil
}

func (l *Lab) kubelet() error {
	access, err := l.access.Kubeconfig(asKubelet)
	if err != nil {
		return err
	}
	config, err := yaml.Marshal(map[string]any{
		"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
		"authentication": map[string]any{
			"anonymous": map[string]any{"enabled": false}, "webhook": map[string]any{"enabled": true},
			"x509": map[string]any{"clientCAFile": filepath.Join(accessDir, "ca.crt")},
		},
		"authorization": map[string]any{"mode": "Webhook"},
		"cgroupDriver":  "cgroupfs", "failCgroupV1": false, "failSwapOn": false, "oomScoreAdj": 0,
		"containerRuntimeEndpoint": "unix://" + runtimeSocket,
		"clusterDNS":               []string{lab.DNSService}, "clusterDomain": "cluster.local", "resolvConf": "",
		"enforceNodeAllocatable": []string{},
		"evictionHard":           map[string]string{"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%", "nodefs.inodesFree": "1%"},
		"podLogsDir":             filepath.Join(sandbox.Work, "pod-logs"), "volumePluginDir": filepath.Join(sandbox.Work, "volume-plugins"),
		"staticPodPath": "", "imageGCHighThresholdPercent": 100,
		"allowedUnsafeSysctls":                      []string{"net.ipv4.ip_forward"}, // what a gateway may ask for
		"configMapAndSecretChangeDetectionStrategy": "Watch",
		"syncFrequency":                             "2s", // volumes follow their ConfigMaps; a real node takes a minute or two
	})
	if err != nil {
		return err
	}
	file, err := l.write("kubelet.yaml", config)
	if err != nil {
		return err
	}
	l.serve("kubelet", "https://"+lab.NodeAddress+":10250", func() *exec.Cmd {
		return l.command(lab.OnNode, l.program("kubelet"), "--config="+file, "--kubeconfig="+access,
			"--hostname-override="+lab.NodeName, "--node-ip="+lab.NodeAddress,
			"--root-dir="+filepath.Join(sandbox.Work, "kubelet"), "--cert-dir="+filepath.Join(sandbox.Work, "kubelet-pki"))
	}, answers(http.DefaultClient, "http://127.0.0.1:10248/healthz"), "kube-apiserver", "images") // what an import mounts for a moment would be taken for the node's disk
	return nil
}

func (l *Lab) nodeReady(ctx context.Context) error {
	var node corev1.Node
	if err := l.get(ctx, "/api/v1/nodes/"+lab.NodeName, &node); err != nil {
		return err
	}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return errors.New("the node is not Ready")
}

func (l *Lab) proxy() error {
	access, err := l.access.Kubeconfig(asProxy)
	if err != nil {
		return err
	}
	config, err := yaml.Marshal(map[string]any{
		"apiVersion": "kubeproxy.config.k8s.io/v1alpha1", "kind": "KubeProxyConfiguration", "mode": "nftables",
		"clientConnection":   map[string]any{"kubeconfig": access},
		"clusterCIDR":        lab.PodCIDR,
		"oomScoreAdj":        0,
		"nodePortAddresses":  []string{lab.NodeAddress + "/32"},
		"healthzBindAddress": "127.0.0.1:10256", "metricsBindAddress": "127.0.0.1:10249",
		// The machine's own limits of connections stay as they are.
		"conntrack": map[string]any{"maxPerCore": 0, "min": 0, "tcpEstablishedTimeout": "0s", "tcpCloseWaitTimeout": "0s"},
	})
	if err != nil {
		return err
	}
	file, err := l.write("kube-proxy.yaml", config)
	if err != nil {
		return err
	}
	l.serve("kube-proxy", "", func() *exec.Cmd {
		return l.command(lab.OnNode, l.program("kube-proxy"), "--config="+file, "--hostname-override="+lab.NodeName)
	}, answers(http.DefaultClient, "http://127.0.0.1:10256/livez"), "kube-apiserver")
	return nil
}

// clusterDNS plans the DNS of the cluster: CoreDNS as a process of the node, with
// a Service in front. It also knows Headscale's name, as the internet's DNS does
// for other clusters.
func (l *Lab) clusterDNS() error {
	access, err := l.access.Kubeconfig(apiserver.Admin)
	if err != nil {
		return err
	}
	file, err := l.write("dns/Corefile", fmt.Appendf(nil, `.:1053 {
	bind %s
	errors
	health 127.0.0.1:8080
	hosts {
		%s %s
		ttl 30
		fallthrough
	}
	kubernetes cluster.local in-addr.arpa {
		kubeconfig %s
		fallthrough in-addr.arpa
		ttl 5
	}
}
`, lab.NodeAddress, lab.HeadscaleAddress, lab.HeadscaleName, access))
	if err != nil {
		return err
	}
	l.serve("coredns", lab.DNSService+":53", func() *exec.Cmd {
		return l.command(lab.OnNode, l.program("coredns"), "-conf", file)
	}, answers(http.DefaultClient, "http://127.0.0.1:8080/health"), "kube-apiserver")
	l.step("cluster-dns", l.dnsService, "coredns")
	return nil
}
