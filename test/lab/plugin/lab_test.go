//go:build lab && linux

package plugin

import (
	"fmt"
	"os"
	"testing"

	"tsunaro.io/gateway/test/testbed/image"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tool"
)

// The images, as kustomize-plugin/argocd and Argo CD's own manifests name them. What
// stands in for Argo CD's has a shell and kustomize, and its name has the version of
// the lab's Argo CD.
const (
	functionImage = "ghcr.io/tsunaro/tsunaro-fn:v0.1.0"
	argoImage     = "quay.io/argoproj/argocd"
)

// theLab is the one lab of all tests here.
var theLab *lab.Lab

func TestMain(m *testing.M) {
	images, err := images()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	labtest.Main(m, lab.Options{Parts: []lab.Part{lab.Node, lab.ArgoCD}, Images: images}, &theLab)
}

func images() ([]lab.Image, error) {
	function, err := tool.Path(tool.FunctionName)
	if err != nil {
		return nil, err
	}
	version, err := tool.Version("argocd")
	if err != nil {
		return nil, err
	}
	argo, err := image.ArgoCD()
	if err != nil {
		return nil, err
	}
	var list []lab.Image
	for ref, spec := range map[string]image.Spec{functionImage: image.Program(function), argoImage + ":" + version: argo} {
		archive, err := image.Cached(ref, spec)
		if err != nil {
			return nil, err
		}
		list = append(list, lab.Image{Reference: ref, Archive: archive})
	}
	return list, nil
}
