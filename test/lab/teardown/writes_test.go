//go:build lab && linux

package teardown

import (
	"encoding/json"
	"net/http"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tap"
)

// steps are the writes of a teardown, in order, as they were recorded
// (TestUndisturbed) and reviewed. A write is named by its action of package teardown;
// of the children by their kind and name as well, in which GW is the gateway's.
var steps = []string{
	string(teardown.CloseEntry),
	string(teardown.DeleteWorkload),
	string(teardown.DeleteNode),
	string(teardown.ExpireKey),
	child + "ConfigMap/GW-coredns",
	child + "PodDisruptionBudget/GW",
	child + "Role/GW",
	child + "RoleBinding/GW",
	child + "Service/GW",
	child + "Service/GW-dns",
	child + "Service/GW-lb",
	child + "ServiceAccount/GW",
	string(teardown.DeleteAuth),
	string(teardown.DeleteState),
	string(teardown.DeleteAuthReceipt),
	string(teardown.DeleteFresh),
	string(teardown.RemoveFinalizer),
}

const (
	child     = string(teardown.DeleteChild) + " "
	onStatus  = labtest.OnStatus
	onTailnet = labtest.OnTailnet
)

// meanwhile are the writes that may come between them, if what is awaited takes long
// enough to be told.
var meanwhile = []string{onStatus + api.ReasonDeleting}

// afterwards are those that may follow: nobody needs the Tailnet any more.
var afterwards = []string{onTailnet + string(teardown.RemoveFinalizer)}

// slow are the statuses that come at any time where a server takes long to answer.
var slow = []string{
	onStatus + api.ReasonEvidenceUnavailable,
	onTailnet + onStatus + api.ReasonHeadscaleUnreachable, onTailnet + onStatus + api.ReasonTailnetReady,
}

// objects are what the steps delete at the API server, by step.
var objects = func() map[string]string {
	all := map[string]string{
		string(teardown.DeleteWorkload): "StatefulSet/GW", string(teardown.DeleteAuth): "Secret/GW-auth",
		string(teardown.DeleteState): "Secret/GW-state", string(teardown.DeleteAuthReceipt): "ConfigMap/GW-auth-receipt",
		string(teardown.DeleteFresh): "ConfigMap/GW-fresh", string(teardown.DeleteStage): "ConfigMap/GW-fresh-next",
	}
	for _, s := range steps {
		if o, ok := strings.CutPrefix(s, child); ok {
			all[s] = o
		}
	}
	return all
}()

// own writes the gateway's name into the name of an object.
func (g *gateway) own(object string) string { return strings.Replace(object, "/GW", "/"+g.name, 1) }

// step is the name without the child.
func step(name string) string {
	if strings.HasPrefix(name, child) {
		return string(teardown.DeleteChild)
	}
	return name
}

// kinds are those of the resources that are deleted.
var kinds = map[string]string{
	"configmaps": "ConfigMap", "secrets": "Secret", "services": "Service", "serviceaccounts": "ServiceAccount", "statefulsets": "StatefulSet",
	"poddisruptionbudgets": "PodDisruptionBudget", "roles": "Role", "rolebindings": "RoleBinding",
}

// what names a write. One that is none of this gateway's teardown is named by its
// request, and so is in no table.
func (g *gateway) what(w tap.Write) string {
	request := w.Method + " " + w.Path
	switch {
	case w.Server == labtest.TheHeadscale:
		return g.whatAtHeadscale(w, request)
	case w.Method == http.MethodDelete:
		object := kinds[path.Base(path.Dir(w.Path))] + "/" + path.Base(w.Path)
		for name, o := range objects {
			if g.own(o) == object {
				return name
			}
		}
		return request
	}
	o, err := labtest.Decode(w.Body)
	if err != nil {
		return g.whatPatch(w, request)
	}
	switch o := o.(type) {
	case *corev1.ConfigMap:
		if _, listed, err := registry.Read(o.Data, g.name); o.Name == api.BindingsName && w.Method == http.MethodPut && err == nil && !listed {
			return string(teardown.CloseEntry)
		}
	case *v1alpha1.TailnetGateway:
		if o.Name == g.name {
			return labtest.NameStatus(w, o.Status.Conditions, "")
		}
	case *v1alpha1.Tailnet:
		if o.Name == g.tailnet {
			return labtest.NameStatus(w, o.Status.Conditions, onTailnet)
		}
	}
	return request
}

func (g *gateway) whatAtHeadscale(w tap.Write, request string) string {
	var body struct{ ID string }
	switch {
	case request == "DELETE /api/v1/node/"+string(g.node):
		return string(teardown.DeleteNode)
	case request == "POST /api/v1/preauthkey/expire" && json.Unmarshal(w.Body, &body) == nil && body.ID == string(g.key):
		return string(teardown.ExpireKey)
	}
	return request
}

// whatPatch names a patch of finalizers, which holds nothing else.
func (g *gateway) whatPatch(w tap.Write, request string) string {
	var body struct {
		Metadata struct{ Finalizers []string }
	}
	if w.Method != http.MethodPatch || json.Unmarshal(w.Body, &body) != nil || slices.Contains(body.Metadata.Finalizers, api.FinalizerTeardown) {
		return request
	}
	switch path.Base(path.Dir(w.Path)) + "/" + path.Base(w.Path) {
	case "tailnetgateways/" + g.name:
		return string(teardown.RemoveFinalizer)
	case "tailnets/" + g.tailnet:
		return onTailnet + string(teardown.RemoveFinalizer)
	}
	return request
}

// named are writes by their names.
func (g *gateway) named(writes []tap.Write) []string {
	names := make([]string, len(writes))
	for i, w := range writes {
		names[i] = g.what(w)
	}
	return names
}

// taken are the steps of the gateway's among the writes from a number on, as far as a
// server has done them.
func (g *gateway) taken(from int) []string {
	var names []string
	for _, w := range g.Tap.Writes()[from:] {
		if name := g.what(w); slices.Contains(steps, name) && w.Status >= 200 && w.Status < 300 {
			names = append(names, name)
		}
	}
	return names
}
