# METADATA
# title: CoreDNS works in its configuration directory
# description: |
#   The directory is projected whole, without subPath, so that a new zone is seen.
#   Metrics are on, at the Pod's own address.
# custom:
#   id: rendered/configuration
#   requirements: [PD-07, DN-09]
#   severity: error
#   remedy: "leave the configuration as rendered: zones and records are set in spec.dns of the TailnetGateway"
package tsunaro.rendered.configuration

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some o in build.in_role("StatefulSet")
	some [path, want, have] in obj.differs(build.container(o, "coredns"), {["workingDir"]: "/etc/coredns", ["args"]: ["-conf", "Corefile"]})
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[coredns].%s", [obj.text(path)]), finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name, want in {"TS_ENABLE_METRICS": "true", "TS_LOCAL_ADDR_PORT": "$(POD_IP):8080"}
	have := build.value(build.container(o, "tailscale"), name)
	have != want
	f := finding.of(rego.metadata.chain(), obj.id(o), variable(name), finding.must(want, have))
}

address := {"fieldRef": {"apiVersion": "v1", "fieldPath": "status.podIP"}}

deny contains f if {
	some o in build.in_role("StatefulSet")
	have := obj.get(build.env(build.container(o, "tailscale")), ["POD_IP", "valueFrom"])
	have != address
	f := finding.of(rego.metadata.chain(), obj.id(o), variable("POD_IP"), finding.must(address, have))
}

variable(name) := sprintf("spec.template.spec.containers[tailscale].env[%s]", [name])

# Hosts are there only with extra zones, and may hold nothing.
patterns := {"Corefile": `\n$`, "zone.db": `\n$`, "hosts": `^$|\n$`}

deny contains f if {
	some o in build.in_role("ConfigMap")
	some key in ({"Corefile", "zone.db"} | (obj.keys(o, ["data"]) & {"hosts"}))
	not regex.match(patterns[key], obj.get(o, ["data", key]))
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(["data", key]), "must be text that ends with a newline")
}

deny contains f if {
	some o in build.in_role("ConfigMap")
	some key in (obj.keys(o, ["data"]) - {"Corefile", "zone.db", "hosts"})
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(["data", key]), "is not a key of the DNS configuration")
}

deny contains f if {
	some o in build.in_role("ConfigMap")
	some [path, want, have] in obj.differs(o, {["binaryData"]: null, ["immutable"]: null})
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(path), finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("ConfigMap")
	some key, pattern in {"tsunaro.io/dns-serial": `^[1-9][0-9]*$`, "tsunaro.io/dns-content-sha256": `^[0-9a-f]{64}$`}
	not regex.match(pattern, obj.annotation(o, key))
	f := finding.of(rego.metadata.chain(), obj.id(o), obj.text(["metadata", "annotations", key]), "must be the revision of the zone")
}

# The serial in the zone is the one that is recorded.
deny contains f if {
	some o in build.in_role("ConfigMap")
	serial := obj.annotation(o, "tsunaro.io/dns-serial")
	not regex.match(sprintf(`(?m)^\S+ 30 IN SOA \S+ hostmaster\.invalid\. %v 7200 900 1209600 30$`, [serial]), obj.get(o, ["data", "zone.db"]))
	f := finding.of(rego.metadata.chain(), obj.id(o), "data[zone.db]", "must hold the SOA record with the serial of metadata.annotations[tsunaro.io/dns-serial]")
}
