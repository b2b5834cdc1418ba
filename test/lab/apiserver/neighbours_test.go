//go:build lab

package apiserver

import (
	"context"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// neighbours is an ordinary application, with names that look like ours.
const neighbours = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, labels: {app: web}}
data: {Corefile: x, zone.db: z}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web-fresh}
data: {a: b}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web-auth-receipt}
data: {a: b}
---
apiVersion: v1
kind: Secret
metadata: {name: grafana-auth}
stringData: {a: b}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: web}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: web}
rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: web}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: web}
subjects: [{kind: ServiceAccount, name: web}]
---
apiVersion: v1
kind: Service
metadata: {name: web, annotations: {argocd.argoproj.io/sync-options: Replace=true}}
spec: {selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: v1
kind: Service
metadata: {name: web-lb, annotations: {kustomize.toolkit.fluxcd.io/force: enabled}}
spec: {type: LoadBalancer, selector: {app: web}, ports: [{port: 80}]}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: 1, selector: {matchLabels: {app: web}}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: c, image: x}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  replicas: 0
  serviceName: web
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec: {containers: [{name: c, image: x}]}
`

// Other people's objects in the operator namespace notice nothing, whether the
// registry is missing, empty or large.
//
// REQ: UP-11, LC-18
func TestNeighboursNoticeNothing(t *testing.T) {
	each(t, apiserver.Versions, func(t *testing.T, l *lab) {
		w := l.world(t)
		for name, registry := range map[string]map[string]string{"missing": nil, "empty": {}, "of 1000 gateways": thousand()} {
			t.Run(name, func(t *testing.T) {
				w := w.in(t)
				w.register(registry)
				for _, how := range []write{clientSide, serverSide, replace} {
					w.must(apiserver.Person, neighbours, how.args...)
				}
				w.must(apiserver.Person, "", "label", "--overwrite", "statefulset/db", "service/web", "configmap/settings", "role/web", "pdb/web", "secret/grafana-auth", "team="+strings.ReplaceAll(name, " ", "-"))
				for _, replicas := range []string{"2", "0"} {
					w.must(apiserver.Person, "", "scale", "statefulset/db", "deployment/web", "--replicas="+replicas)
				}
				w.must(apiserver.Person, "", "set", "image", "statefulset/db", "c=y")
				w.must(apiserver.Person, "", "patch", "service", "web", "--type=merge", "-p", `{"spec": {"selector": {"app": "other"}}, "metadata": {"finalizers": ["x.example/y"]}}`)
				w.must(apiserver.Person, "", "patch", "service", "web-lb", "--subresource=status", "--type=merge", "-p", `{"status": {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}}`)
				w.must(apiserver.Person, "", "delete", "service", "web", "--wait=false")
				w.must(apiserver.Person, "", "patch", "service", "web", "--type=merge", "-p", `{"metadata": {"finalizers": null}}`)
				w.must(apiserver.Person, neighbours, "delete", "--ignore-not-found", "-f", "-")
			})
		}
	})
}

func thousand() map[string]string {
	registry := map[string]string{}
	for i := range 1000 {
		name := fmt.Sprintf("gw-%d", i)
		registry[api.BindingKey(name, api.BindingGatewayUID)] = gatewayUID
		registry[api.BindingKey(name, api.BindingStateUID)] = stateUID
		registry[api.BindingKey(name, "phase")] = "complete"
	}
	return registry
}

// managed are the versions that the controller manager runs with.
var managed = mutating

// The garbage collector, the namespace controller and whoever removes a
// finalizer get through, also where a complete gateway is.
//
// REQ: LC-18, UP-11
func TestControllersGetThrough(t *testing.T) {
	each(t, managed, func(t *testing.T, l *lab) {
		ctx, cancel := context.WithTimeout(t.Context(), deadline)
		defer cancel()
		if err := l.StartManager(ctx); err != nil {
			t.Fatal(err)
		}
		w := l.world(t)
		nine := w.setUp("complete")
		w.create(w.minter, w.records())

		gone := func(kind, name string) func() bool {
			return func() bool {
				_, err := w.as(apiserver.Admin, kind).Get(t.Context(), name, metav1.GetOptions{})
				return apierrors.IsNotFound(err)
			}
		}
		t.Run("garbage", func(t *testing.T) {
			w := w.in(t)
			owner, err := w.as(apiserver.Person, "ConfigMap").Create(t.Context(), configMap("owner"), metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			owned := configMap("owned")
			owned.SetOwnerReferences([]metav1.OwnerReference{{APIVersion: "v1", Kind: "ConfigMap", Name: "owner", UID: owner.GetUID()}})
			if _, err := w.as(apiserver.Person, "ConfigMap").Create(t.Context(), owned, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			w.must(apiserver.Person, "", "delete", "configmap", "owner")
			eventually(t, "the owned object is collected", gone("ConfigMap", "owned"))
		})
		t.Run("foreground deletion", func(t *testing.T) { // the collector removes a finalizer
			w := w.in(t)
			w.must(apiserver.Person, "", "delete", "poddisruptionbudget", w.gateway, "--cascade=foreground")
			eventually(t, "the budget is gone", gone("PodDisruptionBudget", w.gateway))
			w.must(apiserver.Person, "", "delete", "configmap", w.gateway+"-fresh-next", "--cascade=foreground")
			eventually(t, "the record is gone", gone("ConfigMap", w.gateway+"-fresh-next"))
		})
		t.Run("status", func(t *testing.T) { // the StatefulSet controller reports
			w := w.in(t)
			eventually(t, "the StatefulSet has a status", func() bool {
				o, err := w.as(apiserver.Admin, "StatefulSet").Get(t.Context(), w.gateway, metav1.GetOptions{})
				seen, ok, _ := unstructured.NestedInt64(o.Object, "status", "observedGeneration")
				return err == nil && ok && seen == o.GetGeneration()
			})
		})
		t.Run("namespace deletion", func(t *testing.T) {
			w := w.in(t)
			lb := api.LBServiceName(w.gateway)
			if _, err := w.patch(apiserver.Person, "Service", lb, `{"metadata": {"finalizers": ["service.kubernetes.io/load-balancer-cleanup"]}}`, metav1.PatchOptions{}); err != nil {
				t.Fatal(err)
			}
			w.must(apiserver.Person, "", "delete", "namespace", w.namespace, "--wait=false")
			eventually(t, "the registry is gone", gone("ConfigMap", api.BindingsName))
			// Now the cloud's controller, the last one to hold the namespace.
			if _, err := w.patch(apiserver.ServiceAccount("kube-system", "service-controller"), "Service", lb, `{"metadata": {"finalizers": null}}`, metav1.PatchOptions{}); err != nil {
				t.Error(err)
			}
			// Nothing runs a Pod here, so nobody ends one either.
			w.kubectl(apiserver.Admin, "", "delete", "pods", "--all", "--force", "--grace-period=0")
			namespaces := l.dynamic(t, apiserver.Admin).Resource(kinds["ConfigMap"].GroupVersion().WithResource("namespaces"))
			eventually(t, "the namespace is gone", func() bool {
				_, err := namespaces.Get(t.Context(), w.namespace, metav1.GetOptions{})
				return apierrors.IsNotFound(err)
			})
			if n := len(w.live(nine).versions()); n != 0 {
				t.Errorf("%d objects are still there", n)
			}
		})
	})
}

func configMap(name string) *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": name}}}
}
