//go:build lab && linux

package plugin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"tsunaro.io/gateway/test/kustomize"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

const (
	namespace  = "argocd"
	pluginName = "tsunaro-v1" // by which Applications name it
)

// installed is Argo CD's own repo-server with the component, as a user builds it.
func installed(w *labtest.World) string {
	w.Helper()
	dir := w.TempDir()
	below := func(path string) string {
		relative, err := filepath.Rel(dir, path)
		if err != nil {
			w.Fatal(err)
		}
		return relative
	}
	layer := fmt.Sprintf("namespace: %s\nresources: [%s]\ncomponents: [%s]\nimages: [{name: %s, newTag: %s}]\n", namespace,
		below(filepath.Join(w.Lab.Spec.Sources["argocd"], "manifests/base/repo-server")), below(w.Source("kustomize-plugin/argocd")),
		argoImage, w.Lab.Spec.Programs["argocd"].Version)
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(layer), 0o600); err != nil {
		w.Fatal(err)
	}
	return kustomize.Build(w, dir).Must(w).Stdout
}

// startSidecar runs the sidecar of that repo-server as a Pod of its own: the lab's
// repo-server is no Pod. What they share are directories of the node.
func startSidecar(w *labtest.World) {
	w.Helper()
	build := installed(w)
	w.Must(apiserver.Admin, build, "apply", "--server-side", "--dry-run=server", "-f", "-")
	var deployment appsv1.Deployment
	for _, o := range w.Objects(build) {
		switch o["kind"] {
		case "Deployment":
			if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o, &deployment); err != nil {
				w.Fatal(err)
			}
		case "ConfigMap":
			if err := w.Put(w.Context(), apiserver.Admin, o); err != nil {
				w.Fatal(err)
			}
		}
	}
	containers := deployment.Spec.Template.Spec.Containers
	if last := containers[len(containers)-1]; len(containers) != 2 || last.Name != "tsunaro" || last.Image != containers[0].Image {
		w.Fatalf("not the repo-server and then a sidecar of its image: %v", containers)
	}
	w.Run("chmod", "0777", lab.ArgoCDPlugins) // as an emptyDir is
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "sidecar"}, Spec: alone(w, deployment.Spec.Template.Spec)}
	if _, err := w.Client(apiserver.Admin).CoreV1().Pods(namespace).Create(w.Context(), pod, metav1.CreateOptions{}); err != nil {
		w.Fatal(err)
	}
	w.AwaitReady(namespace, pod.Name)
	w.Await("Argo CD has the plugin", func(ctx context.Context) error {
		r, err := w.Lab.Run(ctx, lab.Command{Args: []string{"test", "-S", filepath.Join(lab.ArgoCDPlugins, pluginName+".sock")}})
		if err == nil && r.Code != 0 {
			err = fmt.Errorf("there is no socket")
		}
		return err
	})
}

// alone is the sidecar without the repo-server. Argo CD's program is where its init
// container would have put it.
func alone(w *labtest.World, spec corev1.PodSpec) corev1.PodSpec {
	w.Helper()
	spec.Containers = spec.Containers[len(spec.Containers)-1:]
	spec.InitContainers = nil
	spec.ServiceAccountName = "default"
	own := &spec.Containers[0]
	for i, m := range own.VolumeMounts {
		if m.Name == "var-files" {
			own.VolumeMounts[i].MountPath += "/argocd-cmp-server"
		}
	}
	spec.Volumes = slices.DeleteFunc(spec.Volumes, func(v corev1.Volume) bool {
		return !slices.ContainsFunc(own.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == v.Name })
	})
	for i, v := range spec.Volumes {
		switch v.Name {
		case "var-files":
			spec.Volumes[i].VolumeSource = onNode(w.Lab.Spec.Programs["argocd"].Path, corev1.HostPathFile)
		case "plugins":
			spec.Volumes[i].VolumeSource = onNode(lab.ArgoCDPlugins, corev1.HostPathDirectory)
		}
	}
	return spec
}

func onNode(path string, kind corev1.HostPathType) corev1.VolumeSource {
	return corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: path, Type: &kind}}
}
