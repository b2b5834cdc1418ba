package lab

import (
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
	Flux:         {"source-controller", "kustomize-controller"},
	ArgoCD:       {"argocd", "kustomize", tool.FunctionName},
}

// published are the programs whose CRDs, or scripts, a part needs as well.
var published = map[Part][]string{
	Flux:   {"source-controller", "kustomize-controller"},
	ArgoCD: {"argocd"},
}

// Build builds what a lab of the parts runs, and where it is missing installs what
// that needs of the machine. It says on stderr what it does. No part is all parts.
func Build(parts []Part) error {
	_, err := build(&Spec{Parts: closure(parts)})
	return err
}

// build is Build for a spec, which it completes. It returns the lab's own program.
func build(spec *Spec) (self string, err error) {
	if err := prerequisites(spec.Parts); err != nil {
		return "", err
	}
	spec.Programs, spec.Sources = map[string]Program{}, map[string]string{}
	for _, part := range spec.Parts {
		for _, name := range programs[part] {
			if spec.Programs[name], err = find(name); err != nil {
				return "", err
			}
		}
		for _, name := range published[part] {
			if spec.Sources[name], err = tool.Source(name); err != nil {
				return "", err
			}
		}
	}
	if spec.Has(Node) {
		if err := images(spec); err != nil {
			return "", err
		}
	}
	return tool.Path(tool.LabName)
}

// find builds a program where it is missing. The product's own have no version.
func find(name string) (p Program, err error) {
	if p.Path, err = tool.Path(pinned(name)); err != nil || name == tool.FunctionName {
		return p, err
	}
	p.Version, err = tool.Version(pinned(name))
	return p, err
}

// pinned is the name by which package tool has a program.
func pinned(name string) string {
	if strings.HasPrefix(name, "kube") {
		return name + "-" + Version
	}
	return name
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
