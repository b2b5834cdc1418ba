//go:build lab && linux

package blocked

import (
	"errors"
	"testing"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// What a gateway starts from: its Tailnet, the hosts source and the key. Some of it
// is awaited, some has to be corrected, and nothing is made before.
//
// REQ: LC-19, DL-08, MT-06, ST-09
func startingPoints(t *testing.T) {
	try(t, []fault{
		{
			name: "no-tailnet", own: true, cause: func(*gateway) error { return nil }, mend: (*gateway).sources,
			reason: api.ReasonTailnetMissing, object: "Tailnet/GW-net",
		},
		{
			name: "no-hosts", own: true, cause: withTailnet, mend: (*gateway).sources,
			reason: api.ReasonHostsMissing, object: "ConfigMap/NS/GW-net-hosts", path: "no key hosts",
		},
		{
			name: "no-hosts-key", own: true, cause: withHosts("data", object{"other": ""}), mend: (*gateway).sources,
			reason: api.ReasonHostsMissing, object: "ConfigMap/NS/GW-net-hosts", path: "no key hosts",
		},
		{
			name: "no-hosts-label", own: true, cause: withHosts("metadata", object{"name": "no-hosts-label-net-hosts", "namespace": guarded}), mend: (*gateway).sources,
			reason: api.ReasonHostsRefused, object: "ConfigMap/NS/GW-net-hosts", path: "metadata.labels[tsunaro.io/tailnet] must be the name of the Tailnet",
		},
		{
			name: "bad-hosts", own: true, cause: withHosts("data", object{"hosts": "192.168.10.8  bad-hosts.example\n"}), mend: (*gateway).sources,
			reason: api.ReasonHostsRefused, object: "ConfigMap/NS/GW-net-hosts", path: "data.hosts:1 must not claim the zone's apex",
		},
		{
			name: "no-bootstrap", own: true, cause: withBootstrap(api.ReasonBootstrapKeyMissing, nil),
			mend:   bringKey,
			reason: api.ReasonAPIKeyMissing, object: "Tailnet/GW-net",
		},
		{
			name: "bad-bootstrap", own: true,
			cause:  withBootstrap(api.ReasonKeyRejected, object{"apikey": "hskey-api-000000000000-00000000000000000000000000000000000000000000000000000000000000"}),
			mend:   bringKey,
			reason: api.ReasonAPIKeyMissing, object: "Tailnet/GW-net",
		},
		{
			name: "taken-apikey", own: true, cause: takenKey, mend: obeyTailnet,
			reason: api.ReasonAPIKeyMissing, object: "Tailnet/GW-net",
		},
		{
			name: "no-ca", own: true, cause: without(api.ReasonCABundleMissing, "caBundleConfigMapRef", object{"name": "nothing-here"}), mend: (*gateway).sources,
			reason: api.ReasonAPIKeyMissing, object: "Tailnet/GW-net",
		},
		{
			name: "no-headscale", own: true, cause: without(api.ReasonHeadscaleUnreachable, "apiURL", lab.HeadscaleURL+":444"), mend: (*gateway).sources,
			reason: api.ReasonAPIKeyMissing, object: "Tailnet/GW-net",
		},
	})
}

// sources applies the Tailnet and its hosts source as they should be.
func (g *gateway) sources() { g.Helper(); apply(g.World, g.tailnet, g.hosts) }

// withTailnet applies the Tailnet without its hosts source.
func withTailnet(g *gateway) error {
	g.Helper()
	return put(g.Context(), g.World, g.tailnet)
}

// withHosts applies both, with another part of the hosts source.
func withHosts(field string, value object) func(*gateway) error {
	return func(g *gateway) error {
		g.Helper()
		h := hosts(g.name+"-net", g.namespace)
		h[field] = value
		return put(g.Context(), g.World, g.tailnet, h)
	}
}

// without applies both, with another value in the Tailnet's spec, and waits for
// what the Tailnet says then.
func without(reason, field string, value any) func(*gateway) error {
	return func(g *gateway) error {
		g.Helper()
		apply(g.World, g.hosts, tailnet(g.name+"-net", g.namespace, object{field: value}))
		g.tailnetSays(reason)
		return nil
	}
}

// withBootstrap applies both, with a bootstrap key of the Tailnet's own that is not
// there, or no key at all.
func withBootstrap(reason string, key object) func(*gateway) error {
	return func(g *gateway) error {
		g.Helper()
		if key != nil {
			if err := created(g.World, object{
				"apiVersion": "v1", "kind": "Secret", "metadata": object{"name": g.name + "-bootstrap", "namespace": g.namespace}, "stringData": key,
			}); err != nil {
				return err
			}
		}
		g.tailnet["spec"].(object)["bootstrapSecretRef"] = object{"name": g.name + "-bootstrap"}
		g.sources()
		g.tailnetSays(reason)
		return nil
	}
}

// bringKey makes the Tailnet's own bootstrap key, in place of any other.
func bringKey(g *gateway) {
	g.Helper()
	if err := g.kubectl("delete", "secret", "GW-bootstrap", "--namespace=NS", "--ignore-not-found"); err != nil {
		g.Fatal(err)
	}
	g.Bootstrap(apiserver.Person, g.namespace, g.name+"-bootstrap")
	g.wakeTailnet()
}

// takenKey makes a Secret of somebody else's where the working key belongs.
func takenKey(g *gateway) error {
	g.Helper()
	if err := g.kubectl("create", "secret", "generic", "GW-net-apikey", "--namespace=NS", "--from-literal=apikey=made-up"); err != nil {
		return err
	}
	g.sources()
	g.tailnetSays(api.ReasonKeyBlocked)
	return nil
}

// obeyTailnet runs the command in the Tailnet's message.
func obeyTailnet(g *gateway) {
	g.Helper()
	g.Obey(labtest.Remedy(g.tailnetSays(api.ReasonKeyBlocked).condition(api.ConditionReady).Message))
	g.wakeTailnet()
}

// tailnetSays waits until the gateway's own Tailnet has a reason.
func (g *gateway) tailnetSays(reason string) seen {
	g.Helper()
	return shared.view.await(g, api.KindTailnet, g.name+"-net", "is "+reason, func(s *seen) error {
		if s == nil || !s.current() || s.condition(api.ConditionReady).Reason != reason {
			return errors.New("it is not")
		}
		return nil
	})
}

func (g *gateway) wakeTailnet() { g.Helper(); g.touch("tailnets", g.name+"-net") }
