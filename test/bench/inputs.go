package bench

import (
	"fmt"
	"strings"

	"tsunaro.io/gateway/renderer/zone"
)

const tailnet = `apiVersion: tsunaro.io/v1alpha1
kind: Tailnet
metadata: {name: home}
spec: {controlURL: "https://headscale.example"}
`

// gateway is laid out as people write one: the block style costs a parser more
// than the flow style would.
const gateway = `apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata:
  name: gw-%[1]d
spec:
  suspend: false
  tailnetRef:
    name: home
  tags: ["tag:gateway"]
  routes:
    lan: ["%[2]s.0/26"]
  tailnetLBCIDR: %[2]s.64/26
  loadBalancerIP: %[2]s.65
  dns:
    zone: gw-%[1]d.example
    serviceName: gw-%[1]d-dns
    clusterIP: %[2]s.129
    records:
    - name: nas
      addresses: ["192.168.10.7"]
`

const hosts = `apiVersion: v1
kind: ConfigMap
metadata:
  name: tailnet-dns-hosts
  namespace: tsunaro-system
  labels:
    tsunaro.io/tailnet: home
data:
  hosts: |
`

// fleet returns the documents of one Tailnet with n gateways that do not get in
// each other's way. Every gateway has a /24 of its own, so n is below 65,536.
func fleet(n int) []string {
	docs := []string{tailnet, hosts + "    192.168.10.8 printer.gw-0.example\n"}
	for i := range n {
		docs = append(docs, fmt.Sprintf(gateway, i, fmt.Sprintf("10.%d.%d", i>>8, i&255)))
	}
	return docs
}

// fullHosts returns the documents of one gateway with as many names in its hosts
// source as are allowed (DN-06).
func fullHosts() []string {
	var b strings.Builder
	b.WriteString(hosts)
	for i := range zone.MaxHostsNames {
		fmt.Fprintf(&b, "    10.1.%d.%d h%d.gw-0.example\n", i>>8, i&255, i)
	}
	return append(fleet(1)[:1:1], b.String(), fleet(1)[2])
}

// stream joins documents as they stand in a file.
func stream(docs []string) []byte { return []byte(strings.Join(docs, "---\n")) }

// resourceList joins documents as kustomize sends them to a function.
func resourceList(docs []string) []byte {
	var b strings.Builder
	b.WriteString("apiVersion: config.kubernetes.io/v1\nkind: ResourceList\nitems:\n")
	for _, d := range docs {
		b.WriteString("- " + strings.ReplaceAll(strings.TrimSuffix(d, "\n"), "\n", "\n  ") + "\n")
	}
	b.WriteString("functionConfig:\n  apiVersion: render.tsunaro.io/v1alpha1\n  kind: GatewayRender\n  metadata: {name: render}\n")
	return []byte(b.String())
}
