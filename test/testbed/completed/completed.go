package completed

import (
	"context"
	"fmt"
	"net/netip"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/uuid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/expiry"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// Maker makes completed gateways of one Tailnet through a client that may create
// anything.
type Maker struct {
	Client    client.Client
	Namespace string            // the operator namespace
	Tailnet   *v1alpha1.Tailnet // as the API server has it
	Hosts     *corev1.ConfigMap // its hosts source

	// Address is the cluster IP of a LoadBalancer Service by the gateway's name; nil
	// leaves it to the API server, which then may give one that another gateway's DNS
	// Service is to have.
	Address func(gateway string) string
}

// Made is what others have to know of a completed gateway.
type Made struct {
	Node  node.Node      // that Headscale has of it, without an ID
	Entry registry.Entry // that belongs into the bindings registry
}

// Make makes a gateway, whose number distinguishes its key and its node. The error
// is that of the first object that was refused.
func (m Maker) Make(ctx context.Context, g *v1alpha1.TailnetGateway, number int) (Made, error) {
	id := node.ID(fmt.Sprint(number + 1))
	b := bootstrap{Maker: m, ctx: ctx, g: g, key: id, expires: time.Now().UTC().Truncate(time.Second).Add(24 * time.Hour)}
	b.create(g)
	b.makeState()
	b.makeNine()
	b.makeAuth()
	b.makeReceipts()
	b.makePod()
	if b.err != nil {
		return Made{}, fmt.Errorf("gateway %s: %w", g.Name, b.err)
	}
	return Made{b.node(number), b.completion.Entry()}, nil
}

// Register makes the bindings registry, with entries by the gateway's name.
func (m Maker) Register(ctx context.Context, entries map[string]registry.Entry) error {
	data := map[string]string{}
	for name, e := range entries {
		for key, value := range registry.With(nil, name, e) {
			data[key] = value
		}
	}
	b := bootstrap{Maker: m, ctx: ctx}
	b.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: api.BindingsName}, Data: data})
	return b.err
}

// bootstrap is one gateway on its way. After an error nothing more is made.
type bootstrap struct {
	Maker
	ctx     context.Context
	g       *v1alpha1.TailnetGateway
	key     node.ID
	expires time.Time
	err     error

	state, auth *corev1.Secret
	nine        []verify.Live // in the order of objects.Set
	completion  receipt.Completion
	routes      []netip.Prefix // that the Pod was started with
}

// create creates an object, which then is as the API server has it. A client that is
// no API server takes the UID that is given.
func (b *bootstrap) create(o client.Object) {
	if b.err != nil {
		return
	}
	if _, ok := o.(*v1alpha1.TailnetGateway); !ok {
		o.SetNamespace(b.Namespace)
	}
	o.SetUID(uuid.NewUUID())
	if o.GetGeneration() == 0 {
		o.SetGeneration(1)
	}
	b.err = b.Client.Create(b.ctx, o)
}

// record is the metadata of an object that is the minter's own.
func (b *bootstrap) record(name string) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: name, Labels: map[string]string{api.LabelGatewayUID: string(b.g.UID)}}
	if b.state != nil {
		m.Labels[api.LabelStateUID] = string(b.state.UID)
	}
	return m
}

func (b *bootstrap) makeNine() {
	if b.err != nil {
		return
	}
	render := observe.RenderOf(b.g, b.Tailnet, b.Hosts, nil)
	if len(render.Refused) > 0 {
		b.err = render.Refused
		return
	}
	set, err := verify.Bind(*render.Gateway, string(b.g.UID), string(b.state.UID))
	if err != nil {
		b.err = err
		return
	}
	for _, o := range set {
		live, err := verify.Decode(o.Kind, o.JSON)
		if err != nil {
			b.err = err
			return
		}
		if s, ok := live.(*corev1.Service); ok && s.Spec.ClusterIP == "" && b.Address != nil {
			s.Spec.ClusterIP = b.Address(b.g.Name)
		}
		b.create(live.(client.Object))
		b.nine = append(b.nine, live)
	}
}

func (b *bootstrap) makeAuth() {
	b.auth = &corev1.Secret{ObjectMeta: b.record(api.AuthSecretName(b.g.Name)), Immutable: new(bool)}
	*b.auth.Immutable = true
	b.auth.Annotations = map[string]string{api.AnnotationKeyID: string(b.key), api.AnnotationKeyExpires: expiry.Format(b.expires)}
	b.auth.Data = map[string][]byte{api.AuthSecretKey: []byte("hskey-auth-spent")}
	b.create(b.auth)
}

func (b *bootstrap) makeReceipts() {
	if b.err != nil {
		return
	}
	auth := receipt.Auth{
		Gateway: receipt.GatewayScope(b.g), Tailnet: receipt.TailnetScope(b.Tailnet), KeyID: b.key, Expires: b.expires,
		Secret: receipt.Secret{Name: b.auth.Name, UID: string(b.auth.UID), Revision: b.auth.ResourceVersion},
	}
	record := b.receipt(api.AuthReceiptName(b.g.Name), auth.Encode())
	b.completion = receipt.Completion{
		Rule: receipt.CurrentRule, RenderFormat: 1,
		Gateway: receipt.GatewaySubject(b.g), Tailnet: receipt.TailnetSubject(b.Tailnet),
		State: receipt.Reference{Name: b.state.Name, UID: string(b.state.UID)},
		Auth:  receipt.Reference{Name: record.Name, UID: string(record.UID)},
		KeyID: b.key, Expires: b.expires,
	}
	for i, name := range observe.Names(b.g, b.Namespace) {
		sum, err := verify.Digest(b.nine[i])
		if err != nil {
			b.err = err
			return
		}
		b.completion.Objects = append(b.completion.Objects,
			receipt.Object{Kind: name.Kind, Name: name.Name, UID: string(b.nine[i].GetUID()), Digest: sum})
	}
	b.receipt(api.FreshName(b.g.Name), b.completion.Encode())
}

func (b *bootstrap) receipt(name string, text []byte) *corev1.ConfigMap {
	c := &corev1.ConfigMap{ObjectMeta: b.record(name), Immutable: new(bool), Data: map[string]string{api.DataReceipt: string(text)}}
	*c.Immutable = true
	b.create(c)
	return c
}
