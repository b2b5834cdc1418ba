package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"tsunaro.io/gateway/renderer/admit"
	"tsunaro.io/gateway/test/testbed/image"
	"tsunaro.io/gateway/test/testbed/tool"
)

// programs are what each part runs, by the name it has inside.
var programs = map[Part][]string{
	ControlPlane: {"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl"},
	Node:         {"containerd", "containerd-shim-runc-v2", "ctr", "runc", "cni-bridge", "cni-host-local", "cni-loopback", "kubelet", "kube-proxy", "coredns"},
	Headscale:    {"headscale"},
	Laptop:       {"tailscaled", "tailscale"},
}

// build makes sure that all programs are built, and returns the lab's own.
func build(spec *Spec) (self string, err error) {
	spec.Programs = map[string]Program{}
	for _, part := range spec.Parts {
		for _, name := range programs[part] {
			pinned := name
			if strings.HasPrefix(name, "kube") {
				pinned += "-" + Version
			}
			path, err := tool.Path(pinned)
			if err != nil {
				return "", err
			}
			version, err := tool.Version(pinned)
			if err != nil {
				return "", err
			}
			spec.Programs[name] = Program{path, version}
		}
	}
	if spec.Has(Node) {
		if err := images(spec); err != nil {
			return "", err
		}
	}
	return tool.Path(tool.LabName)
}

// The images of a gateway's Pod, as examples/home-lab names them. The lab's own
// builds stand in for the published ones, under their names, so that the
// rendered Pod runs as it is.
const (
	TailscaleImage = admit.DefaultTailscaleImage
	CoreDNSImage   = admit.DefaultCoreDNSImage
	PauseImage     = "localhost/lab/pause:1"
)

// images makes sure that the archives of the node's images are there.
func images(spec *Spec) error {
	for _, i := range []struct {
		ref  string
		make func() (image.Spec, error)
	}{
		{PauseImage, image.Pause}, {CoreDNSImage, image.CoreDNS},
		{TailscaleImage, func() (image.Spec, error) { return image.Tailscale(nil) }},
	} {
		content, err := i.make()
		if err != nil {
			return err
		}
		archive, err := image.Cached(i.ref, content)
		if err != nil {
			return err
		}
		spec.Images = append(spec.Images, Image{i.ref, archive})
	}
	return nil
}

// packages are the programs of the machine itself that a lab runs, by the Debian
// package that has them.
var packages = []struct{ program, pkg string }{{"ip", "iproute2"}, {"nft", "nftables"}, {"nsenter", "util-linux"}}

// prerequisites says what is missing, all at once.
func prerequisites() error {
	if os.Geteuid() != 0 {
		return errors.New("a lab needs root: it makes namespaces, and mounts and networks in them")
	}
	var missing []string
	for _, p := range packages {
		if _, err := exec.LookPath(p.program); err != nil {
			missing = append(missing, p.pkg)
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("a lab needs Debian packages that are not installed: apt-get install %s", strings.Join(missing, " "))
	}
	return nil
}
