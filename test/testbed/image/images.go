package image

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"

	"tsunaro.io/gateway/test/testbed/tool"
)

// Authorities is where the programs of an image look for the certificates, in
// PEM, that they trust.
const Authorities = "/etc/ssl/certs/ca-certificates.crt"

// commands are those of busybox that images with a shell have: what a Pod of a gateway
// or a plugin's script calls, and what somebody who looks into one asks for.
var commands = []string{
	"cat", "chmod", "cp", "dd", "df", "dmesg", "echo", "env", "false", "free", "grep", "head", "hexdump", "hostname", "id",
	"ip", "ls", "md5sum", "mkdir", "mount", "mv", "nc", "netstat", "nslookup", "ping", "ping6", "printf", "ps", "pwd",
	"readlink", "rm", "sed", "sh", "sha256sum", "sleep", "sort", "stat", "sysctl", "tail", "test", "touch", "tr", "true",
	"uname", "vi", "wc", "wget", "xargs",
}

// Tailscale is ghcr.io/tailscale/tailscale: containerboot as its command, tailscaled
// and tailscale beside it, and a shell. authorities become its trusted
// certificates.
func Tailscale(authorities []byte) (Spec, error) {
	files := slices.Concat(accounts, temporary, []File{
		{Path: Authorities, Content: authorities, Mode: 0o644},
		{Path: "/var/run", Link: "../run"},
		{Path: "/run", Mode: fs.ModeDir | 0o755},
		{Path: "/tailscale/run.sh", Link: "/usr/local/bin/containerboot"},
	})
	for _, p := range []struct{ name, dir string }{
		{"containerboot", "/usr/local/bin"}, {"tailscaled", "/usr/local/bin"}, {"tailscale", "/usr/local/bin"},
	} {
		binary, err := tool.Path(p.name)
		if err != nil {
			return Spec{}, err
		}
		files = append(files, File{Path: path.Join(p.dir, p.name), Source: binary, Mode: 0o755})
	}
	sh, err := shell()
	return Spec{Files: append(files, sh...), Cmd: []string{"/usr/local/bin/containerboot"}}, err
}

// ArgoCD is quay.io/argoproj/argocd as a sidecar of its repo-server sees it: a shell and
// kustomize. Argo CD's own program, which comes to such a sidecar in a volume, is left
// out.
func ArgoCD() (Spec, error) {
	kustomize, err := tool.Path("kustomize")
	if err != nil {
		return Spec{}, err
	}
	files := slices.Concat(accounts, temporary, []File{{Path: "/usr/local/bin/kustomize", Source: kustomize, Mode: 0o755}})
	sh, err := shell()
	return Spec{Files: append(files, sh...), User: "999"}, err
}

// shell is busybox as each of the commands.
func shell() ([]File, error) {
	binary, err := tool.Path(tool.BusyboxName)
	if err != nil {
		return nil, err
	}
	files := []File{{Path: "/bin/" + tool.BusyboxName, Source: binary, Mode: 0o755}}
	for _, c := range commands {
		files = append(files, File{Path: "/bin/" + c, Link: tool.BusyboxName})
	}
	return files, nil
}

// CoreDNS is registry.k8s.io/coredns/coredns: no shell, no root, and the binary has
// the capability to bind port 53. Where a container may not have that capability
// the kernel refuses to start it, as it does with the published image.
func CoreDNS() (Spec, error) {
	binary, err := tool.Path("coredns")
	if err != nil {
		return Spec{}, err
	}
	return program(File{
		Path: "/coredns", Source: binary, Mode: 0o755, Xattrs: map[string][]byte{"security.capability": netBindService},
	}), nil
}

// netBindService is cap_net_bind_service=ep as struct vfs_cap_data: revision 2 and
// the effective bit, then permitted and inheritable, low words first.
var netBindService = []byte{0x01, 0, 0, 0x02, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}

// Pause is registry.k8s.io/pause, from which containerd makes every Pod's sandbox.
func Pause() (Spec, error) {
	binary, err := tool.Path(tool.PauseName)
	if err != nil {
		return Spec{}, err
	}
	return Spec{
		Files:      []File{{Path: "/pause", Source: binary, Mode: 0o755}},
		Entrypoint: []string{"/pause"}, User: "65535:65535",
	}, nil
}

// Program is an image of one static executable in its root directory, which runs
// as the user nonroot, 65532.
func Program(binary string) Spec {
	return program(File{Path: "/" + filepath.Base(binary), Source: binary, Mode: 0o755})
}

func program(binary File) Spec {
	return Spec{
		Files:      slices.Concat(accounts, temporary, []File{binary}),
		Entrypoint: []string{binary.Path}, User: "nonroot:nonroot",
	}
}

// accounts are the users and groups that images name.
var accounts = []File{
	{Path: "/etc/passwd", Mode: 0o644, Content: []byte("root:x:0:0:root:/root:/sbin/nologin\n" +
		"nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\nnonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n")},
	{Path: "/etc/group", Mode: 0o644, Content: []byte("root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n")},
}

var temporary = []File{{Path: "/tmp", Mode: fs.ModeDir | fs.ModeSticky | 0o777}}
