package main

// masks are the fields in which a live object may differ from its rendering, by
// the object's role: its kind, and of a Service what it is for. [*] is any
// element of a list.
var masks = map[string]map[string][]string{
	// What a server fills in.
	"server": {
		"*":  {"status"},
		"lb": {"spec.clusterIP", "spec.clusterIPs", "spec.healthCheckNodePort"},
	},
	// What a change of a mutable field of the CR changes (UP-01, UP-11), and what
	// the minter writes (DL-06). The labels of the LoadBalancer Service are the
	// user's; keys of tsunaro.io/ are not, but for these.
	"mutable": {
		"StatefulSet": {
			"spec.template.spec.containers[*].image",
			"spec.template.spec.initContainers[*].image",
			"spec.template.spec.containers[tailscale].env[TS_ROUTES].value",
		},
		"lb": {"metadata.annotations[tsunaro.io/pool-label-keys]"},
		"ConfigMap": {
			"data.Corefile", "data[zone.db]", "data.hosts",
			"metadata.annotations[tsunaro.io/dns-serial]", "metadata.annotations[tsunaro.io/dns-content-sha256]",
		},
	},
}
