package coredns

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/objects"
)

// Rendered is the part of a gateway's nine resources that makes its DNS server.
type Rendered struct {
	Args     []string
	UID, GID uint32
	Bind     bool        // may bind ports below 1024
	Mode     fs.FileMode // of the projected files
	Keys     []Item      // what the Pod gets to see of the ConfigMap
	Data     map[string]string
	// Annotations are those of the ConfigMap.
	Annotations map[string]string
}

// Item is a key of the ConfigMap and the file that it becomes.
type Item struct{ Key, Path string }

type configMap struct {
	Metadata struct{ Annotations map[string]string }
	Data     map[string]string
}

type statefulSet struct {
	Spec struct {
		Template struct {
			Spec struct {
				Volumes []struct {
					Name      string
					ConfigMap struct {
						Name        string
						Items       []Item
						DefaultMode fs.FileMode
					}
				}
				Containers []container
			}
		}
	}
}

type container struct {
	Name         string
	Args         []string
	Command      []string
	WorkingDir   string
	VolumeMounts []struct{ Name, MountPath, SubPath string }

	SecurityContext struct {
		RunAsUser, RunAsGroup uint32
		Capabilities          struct{ Add, Drop []string }
	}
}

// Read finds the DNS server among the nine resources of one gateway. It fails
// where the server could not start, or would not see a changed ConfigMap.
func Read(resources []objects.Object) (Rendered, error) {
	var set statefulSet
	var config configMap
	i := slices.IndexFunc(resources, func(o objects.Object) bool { return o.Kind == "StatefulSet" })
	if i < 0 {
		return Rendered{}, errors.New("no StatefulSet")
	}
	if err := json.Unmarshal(resources[i].JSON, &set); err != nil {
		return Rendered{}, err
	}
	pod := set.Spec.Template.Spec
	c := slices.IndexFunc(pod.Containers, func(c container) bool { return c.Name == "coredns" })
	if c < 0 {
		return Rendered{}, errors.New("no container coredns")
	}
	server := pod.Containers[c]
	mount, err := mounted(server)
	if err != nil {
		return Rendered{}, err
	}
	for _, v := range pod.Volumes {
		if v.Name != mount {
			continue
		}
		i := slices.IndexFunc(resources, func(o objects.Object) bool {
			return o.Kind == "ConfigMap" && o.Name == v.ConfigMap.Name
		})
		if i < 0 {
			return Rendered{}, fmt.Errorf("no ConfigMap %q", v.ConfigMap.Name)
		}
		if err := json.Unmarshal(resources[i].JSON, &config); err != nil {
			return Rendered{}, err
		}
		return Rendered{
			Args: server.Args,
			UID:  server.SecurityContext.RunAsUser, GID: server.SecurityContext.RunAsGroup,
			Bind: slices.Contains(server.SecurityContext.Capabilities.Add, "NET_BIND_SERVICE"),
			Mode: v.ConfigMap.DefaultMode, Keys: v.ConfigMap.Items,
			Data: config.Data, Annotations: config.Metadata.Annotations,
		}, nil
	}
	return Rendered{}, fmt.Errorf("no volume %q", mount)
}

// mounted returns the name of the volume that the server works in. A file or a
// part of the volume would never change under the server (B33).
func mounted(c container) (string, error) {
	if len(c.Command) != 0 || len(c.VolumeMounts) != 1 {
		return "", fmt.Errorf("command %v, %d mounts: want the image's own entry point and the configuration alone", c.Command, len(c.VolumeMounts))
	}
	m := c.VolumeMounts[0]
	if m.SubPath != "" || m.MountPath != c.WorkingDir || !strings.HasPrefix(m.MountPath, "/") {
		return "", fmt.Errorf("volume at %q (sub path %q), working directory %q: want the whole volume there", m.MountPath, m.SubPath, c.WorkingDir)
	}
	return m.Name, nil
}
