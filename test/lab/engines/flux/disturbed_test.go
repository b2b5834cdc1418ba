//go:build lab && linux

package flux

import (
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// suspended is so in Git, where nothing is then rendered for it.
//
// REQ: ST-05
func (r *run) suspended() {
	p, before := r.home, r.home.all().Writes()
	p.git.Edit(p.file("inputs/gateway.yaml"), "suspend: false", "suspend: true")
	p.showsSince(p.push("suspend"), suspended)
	if text := p.git.Read(p.file("rendered/" + p.name + ".yaml")); text != "" {
		p.Errorf("CI has rendered %s", text)
	}
	p.answers("nas.lab.example", "192.168.10.7")
	p.git.Edit(p.file("inputs/gateway.yaml"), "suspend: true", "suspend: false")
	p.showsSince(p.push("resume"), serving)
	p.all().Unwritten(before)
}

// refused is changed in Git where it must not be. The server refuses what was rendered,
// and Flux says which field; a field that is not rendered is the minter's to refuse.
//
// REQ: ST-05
func (r *run) refused() {
	p, before := r.home, r.home.all().Writes()
	const tolerations = "    - {op: add, path: /spec/pod/tolerations, value: [{operator: Exists}]}\n"
	p.git.Append(p.file("inputs/kustomization.yaml"), tolerations)
	since := p.push("tolerate everything")
	p.showsSince(since, pinned)
	p.log.first(p.World, "Kustomization/"+p.two, "names the field", func(s seen) bool {
		return s.is(shown{pinned.two.status, pinned.two.reason, "this update changes spec.template.spec.tolerations."}) == nil
	})
	p.git.Edit(p.file("inputs/kustomization.yaml"), tolerations, "")
	p.git.Edit(p.file("inputs/gateway.yaml"), "tag:gateway", "tag:other")
	p.showsSince(p.push("another tag instead"), identity)
	p.git.Edit(p.file("inputs/gateway.yaml"), "tag:other", "tag:gateway")
	p.showsSince(p.push("revert"), serving)
	p.all().Unwritten(before)
}

// drifts is changed by somebody: in a field that may change, and where no policy guards
// it, in one that Flux leaves to others, and in one that it mends like the first.
//
// REQ: ST-06
func (r *run) drifts() {
	p := r.home
	services := p.Client(apiserver.Person).CoreV1().Services(namespace)
	patch := func(ctx context.Context, text string) error {
		_, err := services.Patch(ctx, "lab-dns", types.MergePatchType, []byte(text), metav1.PatchOptions{FieldManager: "somebody"})
		return err
	}
	const image = "registry.k8s.io/coredns/coredns:v1.14.5"
	p.Must(apiserver.Person, "", "set", "image", "statefulset/"+p.name, "coredns="+image, "--namespace="+namespace)
	p.Await("the image is Git's again", func(ctx context.Context) error {
		s, err := p.Client(apiserver.Admin).AppsV1().StatefulSets(namespace).Get(ctx, p.name, metav1.GetOptions{})
		if err == nil && slices.ContainsFunc(s.Spec.Template.Spec.Containers, func(c corev1.Container) bool { return c.Image == image }) {
			err = errors.New("it is not")
		}
		return err
	})
	p.says(api.ConditionWorkloadCurrent, api.ReasonPodCurrent)
	p.shows(serving)

	p.Must(apiserver.Admin, "", "delete", "validatingadmissionpolicybinding", "tsunaro-pinned")
	p.Await("the guard is gone", func(ctx context.Context) error {
		return patch(ctx, `{"spec":{"externalIPs":["192.0.2.1"]}}`)
	})
	p.says(api.ConditionInSync, api.ReasonDrifted, "Service/"+namespace+"/lab-dns differs from its render at spec.externalIPs")
	p.showsUnasked(drifted)
	for _, text := range []string{`{"spec":{"externalIPs":null}}`, `{"spec":{"sessionAffinity":"ClientIP"}}`} {
		if err := patch(p.Context(), text); err != nil {
			p.Fatal(err)
		}
	}
	p.Await("Flux has mended it", func(ctx context.Context) error {
		s, err := services.Get(ctx, "lab-dns", metav1.GetOptions{})
		if err == nil && s.Spec.SessionAffinity != "None" {
			err = errors.New("it is " + string(s.Spec.SessionAffinity))
		}
		return err
	})
	p.shows(serving)
	p.Must(apiserver.Admin, "", "apply", "--server-side", "-k", p.Source("policies/admission"))
	p.Await("the guard is back", func(ctx context.Context) error {
		_, err := services.Patch(ctx, "lab-dns", types.MergePatchType, []byte(`{"spec":{"sessionAffinity":"ClientIP"}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil {
			return errors.New("nobody refuses it")
		}
		return nil
	})
}

// noAddress has no address at its Service. It holds nobody.
//
// REQ: ST-05, UP-04
func (r *run) noAddress() {
	p := r.home
	p.TakeAddress(namespace, api.LBServiceName(p.name))
	p.says(api.ConditionServiceReady, api.ReasonLBPending)
	p.showsUnasked(noAddress)
	p.GiveAddresses()
	p.says(api.ConditionServiceReady, api.ReasonLoadBalancerAssigned)
	p.shows(serving)
}
