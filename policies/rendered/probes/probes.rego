# METADATA
# title: Readiness, and no probe that could restart
# description: |
#   Readiness asks Tailscale's health endpoint and CoreDNS's TCP listener. Nothing
#   restarts the identity because a control plane was away for a moment.
# custom:
#   id: rendered/probes
#   requirements: [PD-04]
#   severity: error
#   remedy: leave the probes as rendered
package tsunaro.rendered.probes

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name in ["kernel-preflight", "tailscale", "coredns"]
	some key in ["livenessProbe", "startupProbe", "lifecycle"]
	have := obj.get(build.container(o, name), [key])
	have != null
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[%s].%s", [name, key]), finding.must(null, have))
}

timing := {"failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1}

readiness := {
	"tailscale": object.union(timing, {"httpGet": {"path": "/healthz", "port": "kernel-health", "scheme": "HTTP"}}),
	"coredns": object.union(timing, {"tcpSocket": {"port": "dns-tcp"}}),
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name, want in readiness
	some key in (object.keys(want) | obj.keys(build.container(o, name), ["readinessProbe"]))
	have := obj.get(build.container(o, name), ["readinessProbe", key])
	have != obj.get(want, [key])
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[%s].readinessProbe.%s", [name, key]), finding.must(obj.get(want, [key]), have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some [path, want, have] in obj.differs(o, {["spec", "template", "spec", "readinessGates"]: null})
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(path), finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	have := build.value(build.container(o, "tailscale"), "TS_ENABLE_HEALTH_CHECK")
	have != "true"
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.template.spec.containers[tailscale].env[TS_ENABLE_HEALTH_CHECK]", finding.must("true", have))
}
