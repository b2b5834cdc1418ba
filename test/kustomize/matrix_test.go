package kustomize_test

import "fmt"

// row is one setting of a kustomization file, and what becomes of it where it
// stands beside the function as a transformer (same), in a layer over the
// directory with the function (outer), and beside the function as a generator.
type row struct {
	use       string // what it is, in the words of docs/kustomize.md
	fields    string // the lines of kustomization.yaml
	generated bool   // hosts.yaml is left out: the setting brings the hosts source
	same      cell
	outer     cell
	generator cell
	instead   string // what to write instead
}

// The gateway gw1 of testdata/base, and its objects that rows speak of.
const (
	gateway     = "TailnetGateway/gw1"
	statefulSet = "StatefulSet/tsunaro-system/gw1"
	coreDNS     = "ConfigMap/tsunaro-system/gw1-coredns"
	lb          = "Service/tsunaro-system/gw1-lb"
	tailscale   = "spec.template.spec.containers[0].image"
	preflight   = "spec.template.spec.initContainers[0].image"
)

var matrix = []row{
	{
		use:       "no `namespace`",
		same:      works("", gateway+" metadata.namespace is absent", statefulSet+" metadata.namespace = tsunaro-system"),
		outer:     works("", gateway+" metadata.namespace is absent", statefulSet+" metadata.namespace = tsunaro-system"),
		generator: works("", statefulSet+" metadata.namespace = tsunaro-system"),
		instead:   "the Tailnet's `spec.operatorNamespace` says where the nine go",
	},
	{
		use:       "`namespace`, the operator namespace",
		fields:    "namespace: tsunaro-system",
		same:      works("", "TailnetGateway/tsunaro-system/gw1 metadata.namespace = tsunaro-system", "RoleBinding/tsunaro-system/gw1 subjects[0].namespace = tsunaro-system"),
		outer:     works("", "TailnetGateway/tsunaro-system/gw1 metadata.namespace = tsunaro-system", "RoleBinding/tsunaro-system/gw1 subjects[0].namespace = tsunaro-system"),
		generator: works("", "RoleBinding/tsunaro-system/gw1 subjects[0].namespace = tsunaro-system"),
		instead:   "nothing; it also lands on the cluster-scoped CRs, where it means nothing",
	},
	{
		use:    "`namespace`, another one",
		fields: "namespace: elsewhere",
		same: refused("the CRs would be in a namespace that is not the Tailnet's",
			"cluster-scoped Tailnet/elsewhere/home metadata.namespace",
			"cluster-scoped TailnetGateway/elsewhere/gw1 metadata.namespace"),
		outer:     caught("moves all nine", append(moved("elsewhere", "", ""), "unread TailnetEgress/elsewhere/nas")...),
		generator: caught("moves all nine", moved("elsewhere", "", "")...),
		instead:   "`spec.operatorNamespace` of the Tailnet",
	},
	{
		use:       "`labels`",
		fields:    "labels: [{pairs: {team: net}}]",
		same:      works("reaches the CRs only", gateway+" metadata.labels[team] = net", lb+" metadata.labels[team] is absent"),
		outer:     works("", gateway+" metadata.labels[team] = net", lb+" metadata.labels[team] = net", statefulSet+" spec.template.metadata.labels[team] is absent"),
		generator: works("", lb+" metadata.labels[team] = net", lb+" spec.selector[team] is absent"),
		instead:   "nothing; for the nine use an outer layer or the generator",
	},
	{
		use:       "`labels` with `includeSelectors: true`",
		fields:    "labels: [{pairs: {team: net}, includeSelectors: true}]",
		same:      works("reaches the CRs only", gateway+" metadata.labels[team] = net", lb+" spec.selector[team] is absent"),
		outer:     caught("changes selectors, which are immutable", selectors()...),
		generator: caught("changes selectors, which are immutable", selectors()...),
		instead:   "`labels` without it",
	},
	{
		use:       "`labels` with `includeTemplates: true`",
		fields:    "labels: [{pairs: {team: net}, includeTemplates: true}]",
		same:      works("reaches the CRs only", statefulSet+" spec.template.metadata.labels[team] is absent"),
		outer:     caught("changes the Pod template", "changed "+statefulSet+" spec.template.metadata.labels.team"),
		generator: caught("changes the Pod template", "changed "+statefulSet+" spec.template.metadata.labels.team"),
		instead:   "`labels` without it",
	},
	{
		use:       "`commonLabels`",
		fields:    "commonLabels: {team: net}",
		same:      works("reaches the CRs only", gateway+" metadata.labels[team] = net", lb+" spec.selector[team] is absent"),
		outer:     caught("changes selectors, which are immutable", selectors()...),
		generator: caught("changes selectors, which are immutable", selectors()...),
		instead:   "`labels`",
	},
	{
		use:       "`commonAnnotations`",
		fields:    "commonAnnotations: {example.net/team: net}",
		same:      works("reaches the CRs only", gateway+" metadata.annotations[example.net/team] = net", lb+" metadata.annotations[example.net/team] is absent"),
		outer:     caught("changes the Pod template", "changed "+statefulSet+" spec.template.metadata.annotations[example.net/team]"),
		generator: caught("changes the Pod template", "changed "+statefulSet+" spec.template.metadata.annotations[example.net/team]"),
		instead:   "annotations on the CRs, in the function's own layer",
	},
	{
		use:    "`namePrefix`",
		fields: "namePrefix: x-",
		same:   refused("renames the Tailnet and not the reference to it", "tailnet-missing TailnetGateway/x-gw1 spec.tailnetRef.name"),
		outer: caught("renames the nine, and not all names inside them", append(moved("tsunaro-system", "x-", ""), "renamed ConfigMap/tsunaro-system/x-tailnet-dns-hosts metadata.name",
			"unread TailnetEgress/tsunaro-system/x-nas", "unread TailnetGateway/x-gw1")...),
		generator: caught("renames the nine, and not all names inside them", moved("tsunaro-system", "x-", "")...),
		instead:   "`metadata.name` of the TailnetGateway",
	},
	{
		use:    "`nameSuffix`",
		fields: "nameSuffix: -x",
		same:   refused("renames the Tailnet and not the reference to it", "tailnet-missing TailnetGateway/gw1-x spec.tailnetRef.name"),
		outer: caught("renames the nine, and not all names inside them", append(moved("tsunaro-system", "", "-x"), "renamed ConfigMap/tsunaro-system/tailnet-dns-hosts-x metadata.name",
			"unread TailnetEgress/tsunaro-system/nas-x", "unread TailnetGateway/gw1-x")...),
		generator: caught("renames the nine, and not all names inside them", moved("tsunaro-system", "", "-x")...),
		instead:   "`metadata.name` of the TailnetGateway",
	},
	{
		use:       "`images`, one of the gateway's",
		fields:    "images: [{name: ghcr.io/tailscale/tailscale, newTag: v1.102.5}]",
		same:      caught("has no effect", "no-effect kustomization.yaml images[0]"),
		outer:     caught("makes the nine differ from the CR", "changed "+statefulSet+" "+tailscale, "changed "+statefulSet+" "+preflight),
		generator: caught("makes the nine differ from the CR", "changed "+statefulSet+" "+tailscale, "changed "+statefulSet+" "+preflight),
		instead:   "`spec.images` of the TailnetGateway",
	},
	{
		use:       "`images`, any other",
		fields:    "images: [{name: example.net/app, newTag: v1.0.1}]",
		same:      works("", statefulSet+" "+tailscale+" = ghcr.io/tailscale/tailscale:v1.102.4"),
		outer:     works("", statefulSet+" "+tailscale+" = ghcr.io/tailscale/tailscale:v1.102.4"),
		generator: works("", statefulSet+" "+tailscale+" = ghcr.io/tailscale/tailscale:v1.102.4"),
		instead:   "nothing",
	},
	{
		use:       "`replicas`",
		fields:    "replicas: [{name: gw1, count: 3}]",
		same:      kustomizeRefuses("there is no StatefulSet yet", "resource with name gw1 does not match a config"),
		outer:     caught("a gateway is one Pod", "changed "+statefulSet+" spec.replicas"),
		generator: caught("a gateway is one Pod", "changed "+statefulSet+" spec.replicas"),
		instead:   "a second TailnetGateway",
	},
	{
		use: "`replacements` into a CR",
		fields: `replacements:
- source: {kind: TailnetEgress, name: nas, fieldPath: metadata.name}
  targets:
  - select: {kind: TailnetGateway}
    fieldPaths: [spec.hostname]
    options: {create: true}`,
		same:      works("", gateway+" spec.hostname = nas", statefulSet+" spec.template.spec.containers[0].env[4].value = nas").alone(),
		outer:     caught("comes too late for the nine", "changed "+gateway+" spec.hostname"),
		generator: kustomizeRefuses("the CRs are no resources of the layer", "nothing selected by TailnetEgress"),
		instead:   "the same in the function's own layer or one below it",
	},
	{
		use: "`replacements` into one of the nine",
		fields: `replacements:
- sourceValue: high
  targets:
  - select: {kind: StatefulSet, name: gw1}
    fieldPaths: [spec.template.spec.priorityClassName]
    options: {create: true}`,
		same:      caught("has no effect", "no-effect kustomization.yaml replacements[0].targets[0].select"),
		outer:     caught("changes what was rendered", "changed "+statefulSet+" spec.template.spec.priorityClassName"),
		generator: caught("changes what was rendered", "changed "+statefulSet+" spec.template.spec.priorityClassName"),
		instead:   "the field of the TailnetGateway, where there is one",
	},
	{
		use: "`patches` of a CR",
		fields: `patches:
- target: {kind: TailnetGateway, name: gw1}
  patch: |-
    - {op: replace, path: /spec/loadBalancerIP, value: 198.51.100.54}`,
		same:      works("", gateway+" spec.loadBalancerIP = 198.51.100.54", lb+" spec.loadBalancerIP = 198.51.100.54").alone(),
		outer:     caught("comes too late for the nine", "changed "+gateway+" spec.loadBalancerIP"),
		generator: caught("has no effect", "no-effect kustomization.yaml patches[0].target"),
		instead:   "the same in the function's own layer or one below it",
	},
	{
		use: "`patches` of one of the nine, by `target`",
		fields: `patches:
- target: {kind: StatefulSet}
  patch: |-
    - {op: replace, path: /spec/replicas, value: 2}`,
		same:      caught("has no effect", "no-effect kustomization.yaml patches[0].target"),
		outer:     caught("changes what was rendered", "changed "+statefulSet+" spec.replicas"),
		generator: caught("changes what was rendered", "changed "+statefulSet+" spec.replicas"),
		instead:   "the field of the TailnetGateway, where there is one",
	},
	{
		use: "`patches` of one of the nine, by name",
		fields: `patches:
- patch: |-
    apiVersion: apps/v1
    kind: StatefulSet
    metadata: {name: gw1, namespace: tsunaro-system}
    spec: {template: {spec: {hostNetwork: true}}}`,
		same:      kustomizeRefuses("there is no StatefulSet yet", "no resource matches strategic merge patch"),
		outer:     caught("changes what was rendered", "changed "+statefulSet+" spec.template.spec.hostNetwork"),
		generator: caught("changes what was rendered", "changed "+statefulSet+" spec.template.spec.hostNetwork"),
		instead:   "the field of the TailnetGateway, where there is one",
	},
	{
		use: "`patches` with `$patch: delete`",
		fields: `patches:
- patch: |-
    $patch: delete
    apiVersion: v1
    kind: Service
    metadata: {name: gw1-lb, namespace: tsunaro-system}`,
		same:      kustomizeRefuses("there is no Service yet", "no resource matches strategic merge patch"),
		outer:     caught("removes one of the nine", "missing "+lb),
		generator: caught("removes one of the nine", "missing "+lb),
		instead:   "`suspend: true`, which leaves out all nine",
	},
	{
		use: "`configMapGenerator` of the hosts source",
		fields: `configMapGenerator:
- name: tailnet-dns-hosts
  namespace: tsunaro-system
  options: {labels: {tsunaro.io/tailnet: home}}
  literals: ["hosts=192.0.2.9 scanner.tail.example"]`,
		generated: true,
		same:      refused("the hash in its name hides it from the minter", "hosts-renamed ConfigMap/tsunaro-system/tailnet-dns-hosts metadata.name"),
		outer:     caught("the hash in its name hides it from the minter", "renamed ConfigMap/tsunaro-system/tailnet-dns-hosts-b62984465k metadata.name"),
		generator: caught("the hash in its name hides it from the minter", "renamed ConfigMap/tsunaro-system/tailnet-dns-hosts-b62984465k metadata.name"),
		instead:   "the same with `disableNameSuffixHash: true`",
	},
	{
		use: "the same with `disableNameSuffixHash: true`",
		fields: `configMapGenerator:
- name: tailnet-dns-hosts
  namespace: tsunaro-system
  options: {labels: {tsunaro.io/tailnet: home}, disableNameSuffixHash: true}
  literals: ["hosts=192.0.2.9 scanner.tail.example"]`,
		generated: true,
		same:      works("", coreDNS+" data[zone.db] ~ scanner.tail.example. 30 IN A 192.0.2.9").alone(),
		outer:     works("the first zone lacks the hosts, the minter merges them in", coreDNS+" data[zone.db] !~ scanner"),
		generator: works("the first zone lacks the hosts, the minter merges them in", coreDNS+" data[zone.db] !~ scanner"),
		instead:   "nothing; in the function's own layer the first zone holds the hosts already",
	},
	{
		use: "`configMapGenerator`, any other",
		fields: `configMapGenerator:
- name: settings
  literals: [a=b]`,
		same:      works("", coreDNS+" data[zone.db] ~ printer.tail.example. 30 IN A 192.0.2.8", "ConfigMap/settings-4h2mbtbbt6 data[a] = b"),
		outer:     works("", coreDNS+" data[zone.db] ~ printer.tail.example. 30 IN A 192.0.2.8", "ConfigMap/settings-4h2mbtbbt6 data[a] = b"),
		generator: works("", coreDNS+" data[zone.db] ~ printer.tail.example. 30 IN A 192.0.2.8", "ConfigMap/settings-4h2mbtbbt6 data[a] = b"),
		instead:   "nothing",
	},
	{
		use: "`configMapGenerator` merged into `GW-coredns`",
		fields: `configMapGenerator:
- name: gw1-coredns
  namespace: tsunaro-system
  behavior: merge
  literals: [extra=b]`,
		same:      kustomizeRefuses("there is no such ConfigMap yet", "does not exist; cannot merge or replace"),
		outer:     caught("changes what was rendered", "changed "+coreDNS+" data.extra"),
		generator: kustomizeRefuses("the generators do not see each other", "does not exist; cannot merge or replace"),
		instead:   "`spec.dns`, or the hosts source",
	},
}

// moved is what check-render says of nine objects that are somewhere else or
// have another name: they are missing, and others are there.
func moved(namespace, prefix, suffix string) []string {
	var lines []string
	for _, o := range []struct{ kind, name string }{
		{"ServiceAccount", "gw1"}, {"Role", "gw1"}, {"RoleBinding", "gw1"}, {"ConfigMap", "gw1-coredns"},
		{"Service", "gw1"}, {"Service", "gw1-dns"}, {"Service", "gw1-lb"}, {"PodDisruptionBudget", "gw1"}, {"StatefulSet", "gw1"},
	} {
		lines = append(lines,
			fmt.Sprintf("missing %s/tsunaro-system/%s", o.kind, o.name),
			fmt.Sprintf("unexpected %s/%s/%s%s%s", o.kind, namespace, prefix, o.name, suffix))
	}
	return lines
}

// selectors is where a label that reaches selectors shows: five of them, and the
// Pod template that they select.
func selectors() []string {
	return []string{
		"changed Service/tsunaro-system/gw1 spec.selector.team",
		"changed Service/tsunaro-system/gw1-dns spec.selector.team",
		"changed Service/tsunaro-system/gw1-lb spec.selector.team",
		"changed PodDisruptionBudget/tsunaro-system/gw1 spec.selector.matchLabels.team",
		"changed StatefulSet/tsunaro-system/gw1 spec.selector.matchLabels.team",
		"changed StatefulSet/tsunaro-system/gw1 spec.template.metadata.labels.team",
	}
}
