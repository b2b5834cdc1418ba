//go:build lab && linux

package blocked

import (
	"testing"

	"tsunaro.io/gateway/renderer/api"
)

// TestBlocked goes through what a busy minter could miss, then through everything else
// side by side, and then through what concerns all gateways at once. Every status that it meets on the way is checked.
//
// REQ: ST-01
func TestBlocked(t *testing.T) {
	world(t)
	for _, phase := range []struct {
		name  string
		tests map[string]func(*testing.T)
	}{
		{"alone", map[string]func(*testing.T){"running": running}}, // a Pod is away for seconds only
		{"side by side", map[string]func(*testing.T){
			"before": occupied, "on the way": onTheWay, "older": olderObject, "sources": startingPoints, "peers": peers,
			"complete": completed, "reverted": reverted, "forged": forged, "elsewhere": elsewhereTailnet,
		}},
		{"another CRD", map[string]func(*testing.T){"later": laterCRD}},
		{"the registry", map[string]func(*testing.T){guarded: lostRegistry, free: brokenRegistry}},
		{"at last", map[string]func(*testing.T){"elsewhere": elsewhereStill, "at rest": atRest}},
	} {
		done := t.Run(phase.name, func(t *testing.T) {
			for name, try := range phase.tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					try(t)
				})
			}
		})
		if !done {
			break
		}
	}
	met := shared.view.report(t)
	t.Logf("statuses met: %v", met)
	if t.Failed() {
		return
	}
	for kind, reasons := range map[string][]string{
		api.KindTailnetGateway: {
			api.ReasonSuspended, api.ReasonTailnetMissing, api.ReasonAPIKeyMissing, api.ReasonHostsMissing, api.ReasonHostsRefused,
			api.ReasonSpecRefused, api.ReasonFormatUnknown, api.ReasonAwaitingResources, api.ReasonProvisioning, api.ReasonRuntimeNotReady,
			api.ReasonRestarting, api.ReasonFreshBlocked, api.ReasonIdentityChanged, api.ReasonEvidenceUnavailable, api.ReasonFreshRuntimeReady,
		},
		api.KindTailnet: {
			api.ReasonTailnetReady, api.ReasonBootstrapKeyMissing, api.ReasonKeyRejected, api.ReasonKeyBlocked,
			api.ReasonHostsMissing, api.ReasonCABundleMissing, api.ReasonHeadscaleUnreachable,
		},
	} {
		for _, reason := range reasons {
			if met[kind+"/"+reason] == 0 {
				t.Errorf("no %s was ever %s", kind, reason)
			}
		}
	}
}
