package observe

import (
	"tsunaro.io/gateway/renderer/admit"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

// PeersOf admits every gateway but the one named self, with its Tailnet, so that
// what they claim can be compared (LC-19). One that is refused, or whose Tailnet
// is not there, claims nothing: it will not be set up as it is.
func PeersOf(self string, gateways []v1alpha1.TailnetGateway, tailnets []v1alpha1.Tailnet) []model.Inputs {
	byName := make(map[string]*v1alpha1.Tailnet, len(tailnets))
	for i := range tailnets {
		byName[tailnets[i].Name] = &tailnets[i]
	}
	var peers []model.Inputs
	for i := range gateways {
		g := &gateways[i]
		t, ok := byName[string(g.Spec.TailnetRef.Name)]
		if !ok || g.Name == self {
			continue
		}
		in, findings := admit.Documents([]document.Document{
			custom(api.KindTailnetGateway, &g.ObjectMeta, g.Spec),
			custom(api.KindTailnet, &t.ObjectMeta, t.Spec),
		})
		if !refused(findings) {
			peers = append(peers, in.Gateways...)
		}
	}
	return peers
}

func refused(findings []rules.Finding) bool {
	for _, f := range findings {
		if !rules.Lookup(f.Rule).Warn {
			return true
		}
	}
	return false
}
