//go:build lab && linux

package gateway

import (
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// container is one container as the runtime was told to make it, and as the
// kernel runs it.
type container struct {
	name      string
	spec      spec
	processes []process        // none once it has ended
	mounts    map[string]mount // of those processes, by where
}

// spec is the part of the OCI runtime specification that is looked at.
type spec struct {
	Process struct {
		User         struct{ UID, GID uint32 }
		Args, Env    []string
		Cwd          string
		Capabilities map[string][]string
		NoNew        bool `json:"noNewPrivileges"`
	}
	Root   struct{ Readonly bool }
	Mounts []struct {
		Destination, Source string
		Options             []string
	}
	Linux struct {
		Resources struct {
			Memory struct{ Limit int64 }
		}
		Seccomp       *struct{ DefaultAction string }
		MaskedPaths   []string
		ReadonlyPaths []string
	}
}

// process is /proc/PID/status by field, and the namespaces by kind.
type process struct{ status, namespaces map[string]string }

// mount is a line of /proc/PID/mountinfo.
type mount struct{ root, options string }

// readOnly reports whether nobody may write through the mount.
func (m mount) readOnly() bool { return strings.HasPrefix(m.options+",", "ro,") }

// container looks at a container of the Pod.
func (g *gateway) container(pod *corev1.Pod, name string) container {
	g.Helper()
	id := strings.TrimPrefix(labtest.Container(pod, name).ContainerID, "containerd://")
	var info struct{ Spec spec }
	if err := json.Unmarshal([]byte(g.ctr("containers", "info", id)), &info); err != nil {
		g.Fatal(err)
	}
	c := container{name: name, spec: info.Spec}
	if labtest.Container(pod, name).State.Running == nil {
		return c
	}
	for _, line := range strings.Split(g.ctr("tasks", "ps", id), "\n")[1:] {
		if fields := strings.Fields(line); len(fields) > 0 {
			c.processes = append(c.processes, g.process(fields[0]))
			c.mounts = g.mounts(fields[0])
		}
	}
	if len(c.processes) == 0 {
		g.Fatalf("%s runs and has no process", name)
	}
	return c
}

func (g *gateway) ctr(args ...string) string {
	g.Helper()
	return g.Run("ctr", args...)
}

func (g *gateway) process(pid string) process {
	g.Helper()
	p := process{map[string]string{}, map[string]string{}}
	for line := range strings.Lines(g.Run("cat", "/proc/"+pid+"/status")) {
		field, value, _ := strings.Cut(line, ":")
		p.status[field] = strings.Join(strings.Fields(value), " ")
	}
	for _, kind := range []string{"net", "pid", "ipc", "mnt", "uts"} {
		p.namespaces[kind] = g.Run("readlink", "/proc/"+pid+"/ns/"+kind)
	}
	return p
}

func (g *gateway) mounts(pid string) map[string]mount {
	g.Helper()
	all := map[string]mount{}
	for line := range strings.Lines(g.Run("cat", "/proc/"+pid+"/mountinfo")) {
		fields := strings.Fields(line) // proc_pid_mountinfo(5)
		all[fields[4]] = mount{fields[3], fields[5]}
	}
	return all
}

// env is a variable of the first process.
func (c container) env(name string) string {
	for _, e := range c.spec.Process.Env {
		if value, ok := strings.CutPrefix(e, name+"="); ok {
			return value
		}
	}
	return ""
}
