//go:build lab && linux

package flux

import (
	"os"
	"path/filepath"
	"time"

	kstatus "github.com/fluxcd/cli-utils/pkg/kstatus/status"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
)

// moves takes the Pod from one gateway, which is then not ready although its StatefulSet
// counts as current (B09). Meanwhile another gateway moves to another directory, and its
// Kustomizations get other names: the new ones come, and then the old ones go. Nothing
// is deleted, and nothing is made anew (B15).
//
// REQ: ST-05, RN-09
func (r *run) moves() {
	since := time.Now()
	r.Must(apiserver.Admin, "", "cordon", lab.NodeName)
	r.Must(apiserver.Person, "", "delete", "pod", r.attic.name+"-0", "--namespace="+namespace)
	r.attic.says(api.ConditionReady, api.ReasonRuntimeNotReady)

	p := r.home
	before, old := p.all().UIDs(), *p
	p.dir, p.one, p.two = "gateways/moved", "moved", "moved-resources"
	if err := os.CopyFS(filepath.Join(p.git.Dir, p.dir), os.DirFS(filepath.Join(p.git.Dir, old.dir))); err != nil {
		p.Fatal(err)
	}
	moved := p.push("another directory")
	p.deployCopy()
	p.showsSince(moved, serving)
	r.Must(apiserver.Person, "", "delete", "kustomization", old.one, old.two, "--namespace="+namespace)
	p.git.Remove(old.dir)
	p.showsSince(p.push("and no longer the old one"), serving)
	p.all().Unreplaced(before)
	p.quiet()

	r.attic.showsSince(since, podless)
	r.attic.idle()
	r.Must(apiserver.Admin, "", "uncordon", lab.NodeName)
	r.attic.says(api.ConditionReady, api.ReasonFreshRuntimeReady)
	r.attic.shows(serving)
}

// idle fails unless the StatefulSet counts as current, and has no Pod that runs.
func (p *pair) idle() {
	p.Helper()
	for key, o := range p.all().Labelled("StatefulSet") {
		result, err := kstatus.Compute(o)
		if err != nil || result.Status != kstatus.CurrentStatus {
			p.Errorf("kstatus of %s: %v %v: docs/health.md says otherwise", key, result, err)
		}
		if n, _, _ := unstructured.NestedInt64(o.Object, "status", "readyReplicas"); n != 0 {
			p.Errorf("%s has %d Pods that are ready", key, n)
		}
	}
	for key, o := range p.all().Labelled("Pod") {
		if phase, _, _ := unstructured.NestedString(o.Object, "status", "phase"); phase != string(corev1.PodPending) {
			p.Errorf("%s is %s", key, phase)
		}
	}
}
