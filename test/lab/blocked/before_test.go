//go:build lab && linux

package blocked

import (
	"context"
	"testing"

	"tsunaro.io/gateway/renderer/api"
)

// Whatever is there before a gateway begins is not the gateway's, and nothing is
// made beside it: each of the nine names, each name of a record, and Pods.
//
// REQ: LC-10, LC-11, LC-19
func occupied(t *testing.T) {
	var faults []fault
	for _, o := range occupants {
		faults = append(faults, fault{
			name: "taken-" + o.label, cause: occupy(o), commands: 1,
			reason: api.ReasonFreshBlocked, object: o.kind + "/NS/" + o.name, path: o.path,
		})
	}
	try(t, append(faults, []fault{
		{
			name: "taken-pod-name", cause: occupy(occupant{kind: "Pod", name: "GW-0"}), commands: 1,
			reason: api.ReasonFreshBlocked, object: "Pod/NS/GW-0",
		},
		{
			name: "taken-pod-label", from: suspended, cause: labelledPod, commands: 1,
			reason: api.ReasonFreshBlocked, object: "Pod/NS/GW-of-old",
		},
		{
			name: "taken-node", cause: registerNode, commands: 1,
			reason: api.ReasonFreshBlocked, object: "HeadscaleNode/",
		},
	}...))
}

// occupant is an object of somebody else's.
type occupant struct {
	label, kind, name string
	path              string // that the message names
}

var occupants = []occupant{
	{"serviceaccount", "ServiceAccount", "GW", ""},
	{"role", "Role", "GW", ""},
	{"rolebinding", "RoleBinding", "GW", ""},
	{"zone", "ConfigMap", "GW-coredns", ""},
	{"headless", "Service", "GW", ""},
	{"dns", "Service", "GW-dns", ""},
	{"lb", "Service", "GW-lb", ""},
	{"budget", "PodDisruptionBudget", "GW", ""},
	{"statefulset", "StatefulSet", "GW", ""},

	{"state", "Secret", "GW-state", "metadata.labels[tsunaro.io/gateway-uid]"},
	{"auth", "Secret", "GW-auth", ""},
	{"auth-receipt", "ConfigMap", "GW-auth-receipt", ""},
	{"fresh", "ConfigMap", "GW-fresh", "metadata.labels[tsunaro.io/gateway-uid]"},
	{"fresh-next", "ConfigMap", "GW-fresh-next", ""},
}

// occupy makes an object that has nothing to do with a gateway but its name.
func occupy(o occupant) func(*gateway) error {
	versions := map[string]string{
		"Role": "rbac.authorization.k8s.io/v1", "RoleBinding": "rbac.authorization.k8s.io/v1",
		"PodDisruptionBudget": "policy/v1", "StatefulSet": "apps/v1",
	}
	return func(g *gateway) error {
		g.Helper()
		app := object{"app": "somebody-elses"}
		container := []any{object{"name": "c", "image": "registry.example/somebody-elses:v1.0.0"}}
		m := object{"apiVersion": "v1", "kind": o.kind, "metadata": object{"name": g.fill(o.name), "namespace": g.namespace}}
		if v, ok := versions[o.kind]; ok {
			m["apiVersion"] = v
		}
		switch o.kind {
		case "RoleBinding":
			m["roleRef"] = object{"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "somebody-elses"}
		case "Service":
			m["spec"] = object{"selector": app, "ports": []any{object{"port": int64(80)}}}
		case "PodDisruptionBudget":
			m["spec"] = object{"selector": object{"matchLabels": app}, "minAvailable": int64(1)}
		case "StatefulSet":
			m["spec"] = object{
				"replicas": int64(0), "serviceName": "somebody-elses", "selector": object{"matchLabels": app},
				"template": object{"metadata": object{"labels": app}, "spec": object{"containers": container}},
			}
		case "Pod":
			m["spec"] = object{"containers": container, "nodeSelector": elsewhere}
		}
		return created(g.World, m)
	}
}

// uid is the gateway's.
func (g *gateway) uid() string {
	g.Helper()
	return string(g.await("has a UID", func(seen) error { return nil }).GetUID())
}

// labelledPod is one of another name that says it is the gateway's.
func labelledPod(g *gateway) error {
	g.Helper()
	return created(g.World, object{
		"apiVersion": "v1", "kind": "Pod",
		"metadata": object{"name": g.name + "-of-old", "namespace": g.namespace, "labels": object{api.LabelGatewayUID: g.uid()}},
		"spec": object{
			"containers":   []any{object{"name": "c", "image": "registry.example/somebody-elses:v1.0.0"}},
			"nodeSelector": elsewhere,
		},
	})
}

// registerNode makes a node of the gateway's name at Headscale.
func registerNode(g *gateway) error {
	g.Helper()
	g.Await("there is a node", func(ctx context.Context) error {
		_, err := g.Lab.Tailnet.CreateNode(ctx, person, g.name)
		return err
	})
	return nil
}
