package gateway

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"tsunaro.io/gateway/minter/controller/tailnets"
	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// reading is one pass over everything that a decision about a gateway may rest
// on. It keeps what a World leaves out and a write needs.
type reading struct {
	*Reconciler
	observe.World

	gateway  *v1alpha1.TailnetGateway
	tailnet  *v1alpha1.Tailnet
	registry *corev1.ConfigMap
	list     tailnets.List
	stage    observe.Fact[observe.Completion] // GW-fresh-next with its content
	former   [objects.Count]string            // the nine's digests under the rule of a receipt of v0.10.0
}

// read reads a gateway's world. Only what the gateway's own state calls for is
// read: of a suspended one itself and the registry (LC-03), of another minter's
// nothing of it.
func (r *Reconciler) read(ctx context.Context, name string, attempt observe.Attempt) *reading {
	p := &reading{Reconciler: r}
	p.Now, p.Namespace = r.now(), r.cluster.Namespace
	p.Gateway = kube.Read[v1alpha1.TailnetGateway](ctx, r.cluster, name)
	g, ok := p.Gateway.Get()
	if !ok {
		return p
	}
	p.gateway, p.Attempt = g, attempt
	p.readRegistry(ctx)
	if verdict.Suspended(g) {
		return p
	}
	p.Tailnet = kube.Read[v1alpha1.Tailnet](ctx, r.cluster, string(g.Spec.TailnetRef.Name))
	if t, ok := p.Tailnet.Get(); ok {
		p.tailnet = t
		if namespaceOf(t) == p.Namespace {
			p.readAll(ctx)
		}
	}
	return p
}

// namespaceOf is the operator namespace of a Tailnet.
func namespaceOf(t *v1alpha1.Tailnet) string {
	return cmp.Or(string(t.Spec.OperatorNamespace), api.DefaultOperatorNamespace)
}

func (p *reading) readRegistry(ctx context.Context) {
	fact := kube.Read[corev1.ConfigMap](ctx, p.cluster, api.BindingsName)
	p.registry, _ = fact.Get()
	p.Registry = observe.Map(fact, observe.RegistryOf)
}

func (p *reading) readAll(ctx context.Context) {
	p.readSources(ctx)
	p.readRecords(ctx)
	if !p.Fresh.Known() { // a completed gateway has what it claims
		p.readPeers(ctx)
	}
	p.readNine(ctx)
	p.readPods(ctx)
	p.readHeadscale(ctx)
}

// readSources reads what a rendering is made of, and renders.
func (p *reading) readSources(ctx context.Context) {
	hosts := kube.Read[corev1.ConfigMap](ctx, p.cluster, cmp.Or(string(p.tailnet.Spec.DNS.HostsConfigMapRef.Name), api.DefaultHostsName))
	p.Hosts = observe.Map(hosts, observe.ConfigMapOf)
	egresses := kube.List[v1alpha1.TailnetEgressList](ctx, p.cluster, nil)
	if list, ok := egresses.Get(); ok {
		source, _ := hosts.Get()
		p.Render = observe.Known(observe.RenderOf(p.gateway, p.tailnet, source, list.Items))
	} else {
		p.Render = observe.Unknown[observe.Render](egresses.Class())
	}
}

// readPeers reads what the other gateways claim.
func (p *reading) readPeers(ctx context.Context) {
	gateways := kube.List[v1alpha1.TailnetGatewayList](ctx, p.cluster, nil)
	tailnets := kube.List[v1alpha1.TailnetList](ctx, p.cluster, nil)
	g, known := gateways.Get()
	t, ok := tailnets.Get()
	switch {
	case !known:
		p.Peers = observe.Unknown[[]model.Inputs](gateways.Class())
	case !ok:
		p.Peers = observe.Unknown[[]model.Inputs](tailnets.Class())
	default:
		p.Peers = observe.Known(observe.PeersOf(p.gateway.Name, g.Items, t.Items))
	}
}

func (p *reading) readRecords(ctx context.Context) {
	name := p.gateway.Name
	p.State = observe.Map(kube.Read[corev1.Secret](ctx, p.cluster, api.StateSecretName(name)), observe.StateOf)
	p.Auth = observe.Map(kube.Read[corev1.Secret](ctx, p.cluster, api.AuthSecretName(name)), observe.SecretOf)
	p.AuthReceipt = observe.Map(kube.Read[corev1.ConfigMap](ctx, p.cluster, api.AuthReceiptName(name)), observe.AuthRecordOf)
	p.Fresh = observe.Map(kube.Read[corev1.ConfigMap](ctx, p.cluster, api.FreshName(name)), observe.CompletionOf)
	next := kube.Read[corev1.ConfigMap](ctx, p.cluster, api.FreshNextName(name))
	p.FreshNext, p.stage = observe.Map(next, observe.ConfigMapOf), observe.Map(next, observe.CompletionOf)
}

// readNine reads the nine and compares them with their rendering.
func (p *reading) readNine(ctx context.Context) {
	binding := observe.Bind(p.gateway, p.Render, p.State, p.Fresh)
	fresh, _ := p.Fresh.Get()
	for i, name := range observe.Names(p.gateway, p.Namespace) {
		fact := live(ctx, p.cluster, name)
		p.Nine[i] = observe.Map(fact, func(o verify.Live) observe.Member { return binding.Judge(i, name, o) })
		if o, ok := fact.Get(); ok && fresh.Receipt.Rule == receipt.RuleV010 {
			p.former[i], _ = verify.FormerDigest(o) // of one of the nine's kinds
		}
	}
}

// live reads one of the nine as its typed struct.
func live(ctx context.Context, c *kube.Cluster, o rules.Object) observe.Fact[verify.Live] {
	switch o.Kind {
	case "ServiceAccount":
		return read[corev1.ServiceAccount](ctx, c, o.Name)
	case "Role":
		return read[rbacv1.Role](ctx, c, o.Name)
	case "RoleBinding":
		return read[rbacv1.RoleBinding](ctx, c, o.Name)
	case "ConfigMap":
		return read[corev1.ConfigMap](ctx, c, o.Name)
	case "Service":
		return read[corev1.Service](ctx, c, o.Name)
	case "PodDisruptionBudget":
		return read[policyv1.PodDisruptionBudget](ctx, c, o.Name)
	case "StatefulSet":
		return read[appsv1.StatefulSet](ctx, c, o.Name)
	}
	return observe.Unknown[verify.Live](observe.Unreadable)
}

func read[T any, P kube.Object[T]](ctx context.Context, c *kube.Cluster, name string) observe.Fact[verify.Live] {
	return observe.Map(kube.Read[T, P](ctx, c, name), func(o P) verify.Live { return o })
}

// readPods reads the Pods that carry the gateway's UID, and the one of its Pod's
// name, whosever that is (LC-11).
func (p *reading) readPods(ctx context.Context) {
	labelled := kube.List[corev1.PodList](ctx, p.cluster, map[string]string{api.LabelGatewayUID: string(p.gateway.UID)})
	named := kube.Read[corev1.Pod](ctx, p.cluster, p.gateway.Name+"-0")
	list, ok := labelled.Get()
	switch {
	case !ok:
		p.Pods = observe.Unknown[[]observe.Pod](labelled.Class())
		return
	case named.Unknown():
		p.Pods = observe.Unknown[[]observe.Pod](named.Class())
		return
	}
	pods := map[string]observe.Pod{}
	for i := range list.Items {
		pods[list.Items[i].Name] = observe.PodOf(&list.Items[i])
	}
	if pod, ok := named.Get(); ok {
		pods[pod.Name] = observe.PodOf(pod)
	}
	names := slices.Sorted(maps.Keys(pods))
	all := make([]observe.Pod, len(names))
	for i, name := range names {
		all[i] = pods[name]
	}
	p.Pods = observe.Known(all)
}

// readHeadscale asks Headscale for its nodes, and for the minted key as long as
// it may be alive.
func (p *reading) readHeadscale(ctx context.Context) {
	p.list = p.nodes.List(ctx, p.tailnet)
	p.APIKey, p.Nodes = p.list.APIKey, p.list.Nodes
	client, ok := p.list.Client.Get()
	id, recorded := p.recorded()
	if !ok || !recorded || p.Attempt.Spent == id || !p.Nodes.Known() {
		return // of a Headscale that has not answered nothing else is to be had
	}
	p.KeyExpires = keyExpires(ctx, client, id)
}

func keyExpires(ctx context.Context, client *headscale.Client, id node.ID) observe.Fact[time.Time] {
	switch expires, listed, err := client.KeyExpiration(ctx, id); {
	case err != nil:
		return observe.Unknown[time.Time](observe.Unreachable)
	case !listed:
		return observe.Absent[time.Time]()
	default:
		return observe.Known(expires)
	}
}

// recorded is the key that the completion receipt names.
func (p *reading) recorded() (node.ID, bool) {
	fresh, ok := p.Fresh.Get()
	return fresh.Receipt.KeyID, ok && fresh.Err == nil
}
