# METADATA
# title: A preflight that only reads
# description: |
#   An init container looks whether the TUN device and forwarding are there, and stops
#   the start with a message if not. It opens nothing for writing and sets no sysctl.
# custom:
#   id: rendered/preflight
#   requirements: [PD-02]
#   severity: error
#   remedy: leave the init container as rendered
package tsunaro.rendered.preflight

import data.tsunaro.build
import data.tsunaro.finding
import data.tsunaro.object as obj

deny contains f if {
	some o in build.in_role("StatefulSet")
	some [path, want, have] in obj.differs(build.container(o, "kernel-preflight"), {
		["args"]: null,
		["env"]: null,
		["ports"]: null,
		["workingDir"]: null,
		["restartPolicy"]: null,
	})
	f := finding.of(rego.metadata.chain(), obj.id(o), place(obj.text(path)), finding.must(want, have))
}

deny contains f if {
	some o in build.in_role("StatefulSet")
	command := obj.items(build.container(o, "kernel-preflight"), ["command"])
	not shell(command)
	f := finding.of(rego.metadata.chain(), obj.id(o), place("command"), "must be /bin/sh -c and one script")
}

shell(command) if {
	array.slice(command, 0, 2) == ["/bin/sh", "-c"]
	count(command) == 3
}

# What the script has to look at.
deny contains f if {
	some o in build.in_role("StatefulSet")
	some text in ["/dev/net/tun", "/proc/sys/net/ipv4/ip_forward", "[ -c ", "exit 1"]
	not contains(script(o), text)
	f := finding.of(rego.metadata.chain(), obj.id(o), place("command[2]"), sprintf("must hold %s", [text]))
}

# A redirection of output other than to standard error would write.
deny contains f if {
	some o in build.in_role("StatefulSet")
	regex.match(`>[^&]|>&[^2]|\b(sysctl|tee|mknod|modprobe|insmod|dd|mount|chmod|chown|cp|mv|rm|ln)\b .*/`, script(o))
	f := finding.of(rego.metadata.chain(), obj.id(o), place("command[2]"), "must not write")
}

script(o) := build.container(o, "kernel-preflight").command[2]

place(field) := sprintf("spec.template.spec.initContainers[kernel-preflight].%s", [field])
