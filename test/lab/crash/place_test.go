//go:build lab && linux

package crash

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// place is an operator namespace with a Tailnet, and a tap between its minters and
// the servers.
type place struct {
	*labtest.Tapped
	tailnet string
}

// places counts them: each has a number of its own.
var places atomic.Int32

// newPlace makes a place with the minter's rights, and without a minter.
func newPlace(w *labtest.World, ways labtest.Ways) *place {
	w.Helper()
	n := int(places.Add(1)) - 1
	if n >= maxPlaces {
		w.Fatalf("more than %d places", maxPlaces)
	}
	p := &place{w.Tap(namespaceName(n), shared.admin, ways), fmt.Sprintf("tailnet-%d", n)}
	p.Cleanup(p.clear)
	p.Must(apiserver.Admin, strings.ReplaceAll(shared.deploy, deployed, p.Namespace), "apply", "--server-side", "-f", "-")
	p.Bring(shared.bootstrap)
	return p
}

// patience is for anything that a test waits for on a busy machine: many wait at once.
var patience = labtest.Patience{Limit: 6 * time.Minute, Pause: 250 * time.Millisecond}

// Await is World's, with more patience and fewer questions.
func (p *place) Await(what string, holds func(context.Context) error) {
	p.Helper()
	p.AwaitWith(patience, what, holds)
}

func poll(ctx context.Context, yes func() bool) bool { return labtest.Poll(ctx, patience.Pause, yes) }

// clear removes what was made, so that the lab has room for the next ones. A
// namespace goes by itself in its own time.
func (p *place) clear() {
	p.Kill()
	ctx, cancel := context.WithTimeout(context.Background(), labtest.Deadline) // the test's own is over
	defer cancel()
	now := client.GracePeriodSeconds(0)
	var gateways v1alpha1.TailnetGatewayList
	errs := []error{shared.admin.List(ctx, &gateways)}
	for _, g := range gateways.Items {
		if string(g.Spec.TailnetRef.Name) == p.tailnet {
			errs = append(errs, shared.admin.Delete(ctx, &g))
		}
	}
	name := api.MinterName + "-" + p.Namespace
	errs = append(errs,
		shared.admin.Delete(ctx, &v1alpha1.Tailnet{ObjectMeta: metav1.ObjectMeta{Name: p.tailnet}}),
		shared.admin.Delete(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name}}),
		shared.admin.Delete(ctx, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}}),
		shared.admin.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: p.Namespace}}),
		shared.admin.DeleteAllOf(ctx, &corev1.Pod{}, client.InNamespace(p.Namespace), now),
	)
	for _, err := range errs {
		if err != nil && !apierrors.IsNotFound(err) {
			p.Errorf("clearing away: %v", err)
		}
	}
}
