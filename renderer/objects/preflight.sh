set -u
stop() { echo "preflight: $1" >&2; exit 1; }

tun=/dev/net/tun
[ -c "$tun" ] || stop "$tun is not a character device: load the tun module on this node"

forward=/proc/sys/net/ipv4/ip_forward
[ -r "$forward" ] || stop "$forward cannot be read"
value= more=
{ IFS= read -r value; IFS= read -r more && more=line; } < "$forward"
[ "$value$more" = 1 ] || stop "$forward is not 1: enable IPv4 forwarding on this node, or set spec.pod.sysctls where the node allows it"

echo "preflight: tun and IPv4 forwarding are there"
