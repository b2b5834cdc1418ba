package argocd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
	"tsunaro.io/gateway/test/testbed/page"
)

// repoServer is what the component needs of an argocd-repo-server.
const repoServer = `apiVersion: apps/v1
kind: Deployment
metadata: {name: argocd-repo-server}
spec:
  template:
    spec:
      containers:
      - {name: argocd-repo-server, image: "quay.io/argoproj/argocd:v3.5.7"}
      volumes:
      - {name: plugins, emptyDir: {}}
      - {name: var-files, emptyDir: {}}
`

// built is that Deployment with the component and more of a kustomization file.
func built(t *testing.T, more string) any {
	t.Helper()
	dir := kustomize.Layer{"repo-server.yaml": repoServer}.Write(t)
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	component, err := filepath.Rel(dir, here)
	if err != nil {
		t.Fatal(err)
	}
	layer := "resources: [repo-server.yaml]\ncomponents: [" + component + "]\n" + more
	if err := os.WriteFile(filepath.Join(dir, "kustomization.yaml"), []byte(layer), 0o600); err != nil {
		t.Fatal(err)
	}
	return kustomize.Parse(t, kustomize.Build(t, dir).Must(t).Stdout)["Deployment/argocd-repo-server"]
}

// The sidecar follows the image of the repo-server, and an image of tsunaro-fn from
// another registry is one line, as everywhere.
//
// REQ: RN-10
func TestSidecar(t *testing.T) {
	const spec = "spec.template.spec."
	for _, c := range []struct {
		why, more string
		want      map[string]string
	}{
		{"as it is", "", map[string]string{
			"containers[0].name":         "argocd-repo-server",
			"containers[1].image":        "quay.io/argoproj/argocd:v3.5.7",
			"volumes[3].image.reference": "ghcr.io/tsunaro/tsunaro-fn:v0.1.0",
		}},
		{"from other registries", "images: [{name: quay.io/argoproj/argocd, newName: registry.example/argocd}, {name: ghcr.io/tsunaro/tsunaro-fn, newName: registry.example/fn}]\n", map[string]string{
			"containers[1].image":        "registry.example/argocd:v3.5.7",
			"volumes[3].image.reference": "registry.example/fn:v0.1.0",
		}},
		{"where no volume is made of an image", page.Page(filepath.Join(examples, "argocd/README.md")).Block(t, "yaml", "$patch: delete"), map[string]string{
			"containers[1].image":                "registry.example/argocd-tsunaro:v3.5.7",
			"containers[1].volumeMounts[3].name": "tsunaro-tmp",
			"containers[1].volumeMounts[4].name": "",
			"volumes[3].name":                    "tsunaro-tmp",
			"volumes[4].name":                    "",
		}},
	} {
		t.Run(c.why, func(t *testing.T) {
			deployment := built(t, c.more)
			for path, want := range c.want {
				if got, _ := kustomize.At(deployment, spec+path); got != want && (got != nil || want != "") {
					t.Errorf("%s is %v, want %q", path, got, want)
				}
			}
			if mode, _ := kustomize.At(deployment, spec+"volumes[2].configMap.defaultMode"); mode != 0o555 {
				t.Errorf("the files have mode %v, and one is a program", mode)
			}
			if mounted, _ := kustomize.At(deployment, spec+"volumes[2].configMap.name"); !strings.HasPrefix(mounted.(string), "tsunaro-plugin-") {
				t.Errorf("the scripts are of %v, which does not follow a change of theirs", mounted)
			}
		})
	}
}
