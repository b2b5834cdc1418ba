# METADATA
# title: Images are pinned
# description: |
#   An image is a digest or a tag with a full version, and the preflight runs the one
#   that Tailscale runs, so that they change together.
# custom:
#   id: transformed/images
#   requirements: [CF-03, UP-02]
#   severity: error
#   remedy: set spec.images of the TailnetGateway to name@sha256:digest or name:tag with a full version, and leave images out of the kustomization
package tsunaro.transformed.images

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

image(o, name) := obj.get(build.container(o, name), ["image"])

deny contains f if {
	some o in build.in_role("StatefulSet")
	some name in ["kernel-preflight", "tailscale", "coredns"]
	not pinned(image(o, name))
	f := finding.of(rego.metadata.chain(), obj.id(o), sprintf("spec.template.spec.containers[%s].image", [name]), "must be a digest or a tag with a full version such as v1.102.4")
}

# A digest decides by itself, whatever the tag beside it says.
pinned(reference) if {
	short(reference)
	regex.match(sprintf(`^%s(:[A-Za-z0-9_][A-Za-z0-9_.\-]{0,127})?@sha256:[0-9a-f]{64}$`, [name]), reference)
}

pinned(reference) if {
	short(reference)
	regex.match(sprintf(`^%s:v?[0-9]+(\.[0-9]+){2,}([\-_.][A-Za-z0-9_.\-]*[A-Za-z0-9])?$`, [name]), reference)
}

# A name is components of a path, the first of which may be a host with a port.
host := `[A-Za-z0-9]([A-Za-z0-9\-]*[A-Za-z0-9])?`

component := `[a-z0-9]+((\.|__?|-+)[a-z0-9]+)*`

name := sprintf(`(%[1]s(\.%[1]s)*(:[0-9]+)?/)?%[2]s(/%[2]s)*`, [host, component])

short(reference) if count(regex.find_n(sprintf("^%s", [name]), reference, 1)[0]) <= 255

deny contains f if {
	some o in build.in_role("StatefulSet")
	image(o, "kernel-preflight") != image(o, "tailscale")
	f := finding.of(rego.metadata.chain(), obj.id(o), "spec.template.spec.initContainers[kernel-preflight].image", "must be the image of the container tailscale")
}
