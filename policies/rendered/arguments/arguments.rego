# METADATA
# title: The arguments that keep one identity
# description: |
#   Every start applies the same arguments and takes no route, tag or login from
#   anywhere else. The key comes from the auth Secret alone, and Headscale refuses
#   requested tags.
# custom:
#   id: rendered/arguments
#   requirements: [PD-03]
#   severity: error
#   remedy: "leave the environment as rendered: everything that may be set is a field of the TailnetGateway"
package tsunaro.rendered.arguments

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

fixed := {
	"TS_AUTH_ONCE": "false",
	"TS_USERSPACE": "false",
	"TS_ACCEPT_DNS": "false",
	"TS_DEBUG_FIREWALL_MODE": "nftables",
	"TS_STATE_DIR": "/var/lib/tailscale",
	"TS_SOCKET": "/var/run/tailscale/tailscaled.sock",
	"TS_KUBERNETES_READ_API_SERVER_ADDRESS_FROM_ENV": "true",
	"TS_NO_LOGS_NO_SUPPORT": "true",
}

# Those that another rule looks at, or that the TailnetGateway sets.
other := {
	"POD_IP", "TS_AUTHKEY", "TS_KUBE_SECRET", "TS_HOSTNAME", "TS_ROUTES", "TS_EXTRA_ARGS",
	"TS_LOCAL_ADDR_PORT", "TS_ENABLE_HEALTH_CHECK", "TS_ENABLE_METRICS", "SSL_CERT_FILE",
}

tailscale(o) := build.container(o, "tailscale")

variable(name) := sprintf("spec.template.spec.containers[tailscale].env[%s]", [name])

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name, want in fixed
	have := build.value(tailscale(o), name)
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), variable(name), finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some e in obj.items(tailscale(o), ["env"])
	name := obj.get(e, ["name"])
	not name in (object.keys(fixed) | other)
	f := finding.of(rego.metadata.chain(), obj.id(o), variable(name), "is not a variable of a gateway")
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name in ({obj.get(e, ["name"]) | some e in obj.items(tailscale(o), ["env"])} - object.keys(build.env(tailscale(o))))
	f := finding.of(rego.metadata.chain(), obj.id(o), variable(name), "must be there once, is there twice")
}

# The whole of it, so that no other flag gets in (B28).
deny contains f if {
	some o in build.in_role("StatefulSet")
	not regex.match(`^--reset --accept-routes=false --login-server=https?://[a-z0-9.\-]+(:[0-9]+)?(/[^ ]*)?$`, build.value(tailscale(o), "TS_EXTRA_ARGS"))
	f := finding.of(rego.metadata.chain(), obj.id(o), variable("TS_EXTRA_ARGS"), "must be --reset, --accept-routes=false and --login-server=URL, and nothing else")
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some e in obj.items(tailscale(o), ["env"])
	some flag in ["--advertise-tags", "--force-reauth", "--auto-update", "--authkey", "--auth-key"]
	contains(obj.get(e, ["value"]), flag)
	f := finding.of(rego.metadata.chain(), obj.id(o), variable(e.name), sprintf("must not hold %s", [flag]))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name in ["TS_HOSTNAME", "TS_ROUTES"]
	not regex.match(`^[^ ]+$`, build.value(tailscale(o), name))
	f := finding.of(rego.metadata.chain(), obj.id(o), variable(name), "must be set, without spaces")
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	key := obj.get(build.env(tailscale(o)), ["TS_AUTHKEY"])
	some [path, want, have] in obj.differs(key, {
		["value"]: null,
		["valueFrom", "secretKeyRef", "key"]: "authkey",
		["valueFrom", "secretKeyRef", "optional"]: false,
	})
	f := finding.of(rego.metadata.chain(), obj.id(o), concat(".", [variable("TS_AUTHKEY"), obj.text(path)]), finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some path, want in {
		["tailscale", "command"]: null,
		["tailscale", "args"]: null,
		["coredns", "command"]: null,
		["coredns", "env"]: null,
	}
	have := obj.get(build.container(o, path[0]), [path[1]])
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[%s].%s", path), finding.must(want, have))
}
