//go:build lab && linux

package crash

import (
	"net/http"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/tailnet"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/tap"
)

// Names of writes: an action of package verdict, one of package tailnet's after
// "Tailnet ", or "Status " and the reason that a status gives for Ready.
const (
	onTailnet = labtest.OnTailnet
	onStatus  = labtest.OnStatus
)

// writes are those about this gateway and its Tailnet. While another one is cleared
// away, whose Tailnet may go first, every minter says so in that one's status.
func (g *gateway) writes() []tap.Write {
	var own []tap.Write
	var reads []string // before those that are left out
	for _, w := range g.Tap.Writes() {
		w.Reads = append(reads, w.Reads...)
		if reads = nil; labtest.OfAnother(w, g.name) {
			reads = w.Reads
			continue
		}
		own = append(own, w)
	}
	return own
}

// what names a write. One that is none of the minter's is named by its request,
// and so in no table.
func (g *gateway) what(w tap.Write) string {
	request := w.Method + " " + w.Path
	if w.Server == labtest.TheHeadscale {
		return atHeadscale[request]
	}
	if w.Method == http.MethodDelete {
		if w.Path == "/api/v1/namespaces/"+g.Namespace+"/secrets/"+api.StateSecretName(g.name) {
			return string(verdict.DeleteState)
		}
		return string(verdict.DeleteObject)
	}
	o, err := labtest.Decode(w.Body)
	if err != nil {
		return request
	}
	switch o := o.(type) {
	case *corev1.Secret:
		return g.whatSecret(w.Method, o.Name, request)
	case *corev1.ConfigMap:
		return g.whatConfigMap(w.Method, o, request)
	case *v1alpha1.TailnetGateway:
		return labtest.NameStatus(w, o.Status.Conditions, "")
	case *v1alpha1.Tailnet:
		return labtest.NameStatus(w, o.Status.Conditions, onTailnet)
	}
	return request
}

// atHeadscale are all requests that change something there.
var atHeadscale = map[string]string{
	"POST /api/v1/apikey":            onTailnet + tailnet.Mint.String(),
	"POST /api/v1/apikey/expire":     onTailnet + tailnet.Expire.String(),
	"POST /api/v1/preauthkey":        string(verdict.Mint),
	"POST /api/v1/preauthkey/expire": string(verdict.ExpireKey),
}

func (g *gateway) whatSecret(method, name, request string) string {
	switch {
	case name == api.WorkingKeySecretName(g.tailnet):
		return onTailnet + tailnet.Store.String()
	case name == api.StateSecretName(g.name) && method == http.MethodPost:
		return string(verdict.CreateState)
	case name == api.AuthSecretName(g.name) && method == http.MethodPost:
		return string(verdict.CreateAuth)
	}
	return request
}

// whatConfigMap names a swap of the registry by the phase that it leads to.
func (g *gateway) whatConfigMap(method string, m *corev1.ConfigMap, request string) string {
	switch {
	case m.Name == api.AuthReceiptName(g.name) && method == http.MethodPost:
		return string(verdict.CreateAuthReceipt)
	case m.Name == api.FreshName(g.name) && method == http.MethodPost:
		return string(verdict.CreateFresh)
	case m.Name != api.BindingsName:
		return request
	}
	switch e, listed, err := registry.Read(m.Data, g.name); {
	case err != nil:
		return request
	case !listed:
		return string(verdict.CloseEntry)
	default:
		return string(map[registry.Phase]verdict.Action{
			registry.Open: verdict.OpenEntry, registry.Minting: verdict.SwapMinting, registry.Complete: verdict.SwapComplete,
		}[e.Phase])
	}
}

// isStatus reports whether the write of a name is one of a status.
func isStatus(name string) bool {
	return strings.HasPrefix(strings.TrimPrefix(name, onTailnet), onStatus)
}

// named are writes by their names.
func (g *gateway) named(writes []tap.Write) []string {
	names := make([]string, len(writes))
	for i, w := range writes {
		names[i] = g.what(w)
	}
	return names
}
