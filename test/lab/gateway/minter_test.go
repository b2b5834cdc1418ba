//go:build lab && linux

package gateway

import (
	"context"
	"maps"
	"net/http"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

const namespace = api.DefaultOperatorNamespace

// gateway is one of the lab, and who plays its minter.
type gateway struct {
	*labtest.World
	name          string
	manifest      string // the build: CRs and the nine
	headscale     *labtest.REST
	uid, stateUID string // once it is open
	keyID         string // once it is minted
}

// asMinter is a client with the minter's own identity: nobody else may write what
// it writes.
func (g *gateway) asMinter() *kubernetes.Clientset { return g.Client(apiserver.Minter(namespace)) }

// open makes the state Secret, and the entry in the registry that lets the nine be
// created.
func (g *gateway) open() {
	g.Helper()
	resource := schema.GroupVersionResource{Group: api.Group, Version: api.Version, Resource: "tailnetgateways"}
	cr, err := g.Dynamic(apiserver.Admin).Resource(resource).Get(g.Context(), g.name, metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	state, err := g.asMinter().CoreV1().Secrets(namespace).Create(g.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: api.StateSecretName(g.name)},
	}, metav1.CreateOptions{})
	if err != nil {
		g.Fatal(err)
	}
	g.uid, g.stateUID = string(cr.GetUID()), string(state.UID)
	g.register(map[string]string{
		api.BindingGatewayUID: g.uid, api.BindingStateUID: g.stateUID, api.BindingPhase: api.PhaseOpen,
	})
}

// register writes fields of the gateway's entry in the registry.
func (g *gateway) register(fields map[string]string) {
	g.Helper()
	entry := map[string]string{}
	for field, value := range fields {
		entry[api.BindingKey(g.name, field)] = value
	}
	registries := g.asMinter().CoreV1().ConfigMaps(namespace)
	list, err := registries.List(g.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + api.BindingsName})
	if err == nil && len(list.Items) == 0 {
		_, err = registries.Create(g.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: api.BindingsName}, Data: entry}, metav1.CreateOptions{})
	} else if err == nil {
		registry := &list.Items[0]
		maps.Copy(registry.Data, entry)
		_, err = registries.Update(g.Context(), registry, metav1.UpdateOptions{})
	}
	if err != nil {
		g.Fatal(err)
	}
}

// mint makes the key of the node and its Secret, as the minter does: last.
func (g *gateway) mint() {
	g.Helper()
	expires := time.Now().Add(24 * time.Hour).UTC().Format(time.RFC3339)
	g.register(map[string]string{api.BindingPhase: api.PhaseMinting, api.BindingMintExpires: expires})
	var made struct{ PreAuthKey struct{ ID, Key string } }
	err := g.headscale.Call(g.Context(), http.MethodPost, "/api/v1/preauthkey", map[string]any{
		"reusable": true, "ephemeral": false, "expiration": expires, "aclTags": []string{"tag:gateway"},
	}, &made)
	if err != nil {
		g.Fatal(err)
	}
	immutable := true
	g.keyID = made.PreAuthKey.ID
	_, err = g.asMinter().CoreV1().Secrets(namespace).Create(g.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Name:        api.AuthSecretName(g.name),
			Annotations: map[string]string{api.AnnotationKeyID: g.keyID, api.AnnotationKeyExpires: expires},
		},
		Data: map[string][]byte{api.AuthSecretKey: []byte(made.PreAuthKey.Key)}, Immutable: &immutable,
	}, metav1.CreateOptions{})
	if err != nil {
		g.Fatal(err)
	}
}

// online waits until the node is, and returns it.
func (g *gateway) online() (n labtest.Node) {
	g.Helper()
	g.Await("the node "+g.name+" is online", func(ctx context.Context) (err error) {
		if n, err = g.headscale.Node(ctx, g.name); err == nil && !n.Online {
			err = errOffline
		}
		return err
	})
	return n
}
