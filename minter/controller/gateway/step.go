package gateway

import (
	"context"
	"errors"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/registry"
	"tsunaro.io/gateway/minter/rewrite"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
)

// carryOut does the step of a decision, and nothing else.
func (p *reading) carryOut(ctx context.Context, d decision) verdict.Result {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	s := d.Step
	if d.going != nil && teardown.Deletes(s.Do) {
		return p.delete(ctx, s)
	}
	switch s.Do {
	case verdict.RemoveForeignEntry, verdict.OpenEntry, verdict.SwapMinting, verdict.SwapComplete, verdict.RewriteEntry, verdict.CloseEntry:
		return outcome(p.swapRegistry(ctx, s))
	case verdict.AddFinalizer, verdict.RemoveFinalizer:
		return outcome(p.cluster.Finalize(ctx, p.gateway.DeepCopy(), s.Do == verdict.AddFinalizer))
	case verdict.CreateState, verdict.CreateAuth:
		return p.createSecret(ctx, s)
	case verdict.CreateAuthReceipt, verdict.CreateFresh, rewrite.StageReceipt, rewrite.PromoteReceipt:
		return outcome(p.cluster.Create(ctx, &corev1.ConfigMap{ObjectMeta: meta(s), Data: s.Data, Immutable: &s.Immutable}))
	case verdict.Mint:
		return p.mint(ctx, s.Request)
	case verdict.ExpireKey:
		return p.expire(ctx, s.Key)
	case verdict.DeleteObject, verdict.DeleteState, rewrite.DeleteReceipt, rewrite.DropStage:
		return p.delete(ctx, s)
	case teardown.DeleteNode:
		return p.deleteNode(ctx, d.going.Node)
	}
	return verdict.Result{Outcome: verdict.NotDone} // an action that is not known here does nothing
}

// outcome is what is known about a write to the API server.
func outcome(err error) verdict.Result {
	switch {
	case err == nil:
		return verdict.Result{Outcome: verdict.Done}
	case errors.Is(err, kube.Lost):
		return verdict.Result{Outcome: verdict.Lost}
	}
	return verdict.Result{Outcome: verdict.NotDone}
}

func meta(s verdict.Step) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: s.Object.Name, Labels: s.Labels, Annotations: s.Annotations}
}

// swapRegistry replaces the data of the registry that was read, or creates it.
// Whatever else the ConfigMap carries stays. All gateways share it: as long as
// this one's entry is as it was decided on, a change of others only means that the
// same entry goes into what they wrote, and so does a creation.
func (p *reading) swapRegistry(ctx context.Context, s verdict.Step) error {
	var before map[string]string
	switch {
	case s.Revision == "":
	case p.registry == nil || p.registry.ResourceVersion != s.Revision:
		return kube.Conflict
	default:
		before = p.registry.Data
	}
	write, next := p.cluster.Create, &corev1.ConfigMap{ObjectMeta: meta(s), Data: s.Data}
	if s.Revision != "" {
		write, next = p.cluster.Swap, withData(p.registry, s.Data)
	}
	for range swaps {
		err := write(ctx, next)
		if !errors.Is(err, kube.Conflict) && !errors.Is(err, kube.Exists) {
			return err
		}
		now, ok := kube.Read[corev1.ConfigMap](ctx, p.cluster, api.BindingsName).Get()
		if !ok || registry.Changed(before, now.Data, p.gateway.Name) {
			return kube.Conflict
		}
		write, next = p.cluster.Swap, withData(now, moved(s.Data, now.Data, p.gateway.Name))
	}
	return kube.Conflict
}

func withData(m *corev1.ConfigMap, data map[string]string) *corev1.ConfigMap {
	next := m.DeepCopy()
	next.Data = data
	return next
}

// swaps is how often the registry is tried to be written in one step.
const swaps = 10

// moved is the data of a registry with a gateway's entry from another.
func moved(from, to map[string]string, gateway string) map[string]string {
	if e, ok, err := registry.Read(from, gateway); ok && err == nil {
		return registry.With(to, gateway, e)
	}
	return registry.Without(to, gateway)
}

// createSecret creates a Secret, and returns what the API server answered: its
// UID and revision are known from nowhere else (LC-08, MT-02).
func (p *reading) createSecret(ctx context.Context, s verdict.Step) verdict.Result {
	secret := &corev1.Secret{ObjectMeta: meta(s), Type: corev1.SecretTypeOpaque}
	if s.Immutable {
		secret.Immutable = &s.Immutable
	}
	for key, value := range s.Secret {
		if secret.Data == nil {
			secret.Data = map[string][]byte{}
		}
		secret.Data[key] = value.Open()
	}
	result := outcome(p.cluster.Create(ctx, secret))
	if result.Outcome != verdict.Done {
		return result
	}
	result.UID = string(secret.UID)
	result.Stored = mint.Stored{
		UID: string(secret.UID), Revision: secret.ResourceVersion,
		Immutable: secret.Immutable != nil && *secret.Immutable,
		Bytes:     sealed.New(secret.Data[api.AuthSecretKey]),
		ID:        secret.Annotations[api.AnnotationKeyID],
		Expires:   secret.Annotations[api.AnnotationKeyExpires],
	}
	return result
}

// mint asks Headscale for a key, once. Only an answer that says so means that no
// key was made.
func (p *reading) mint(ctx context.Context, r mint.Request) verdict.Result {
	client, ok := p.list.Client.Get()
	if !ok {
		return verdict.Result{Outcome: verdict.NotDone}
	}
	key, bytes, err := client.CreateKey(ctx, r)
	switch {
	case err == nil:
		return verdict.Result{Outcome: verdict.Done, Key: key, Bytes: bytes}
	case headscale.ClassOf(err) == headscale.Lost:
		return verdict.Result{Outcome: verdict.Lost}
	}
	return verdict.Result{Outcome: verdict.NotDone}
}

// expire ends a key at Headscale. One that it does not know is spent as well (B21).
func (p *reading) expire(ctx context.Context, id node.ID) verdict.Result {
	client, ok := p.list.Client.Get()
	if !ok {
		return verdict.Result{Outcome: verdict.NotDone}
	}
	switch headscale.ClassOf(client.ExpireKey(ctx, id)) {
	case headscale.OK, headscale.NotFound:
		return verdict.Result{Outcome: verdict.Done}
	}
	return verdict.Result{Outcome: verdict.NotDone}
}

// delete deletes the object of the step by its UID, and unchanged where it has to
// be: a state Secret that Tailscale has written to meanwhile stays (LC-22).
func (p *reading) delete(ctx context.Context, s verdict.Step) verdict.Result {
	kinds := map[string]client.Object{
		"ServiceAccount": &corev1.ServiceAccount{}, "Role": &rbacv1.Role{}, "RoleBinding": &rbacv1.RoleBinding{},
		"ConfigMap": &corev1.ConfigMap{}, "Service": &corev1.Service{}, "PodDisruptionBudget": &policyv1.PodDisruptionBudget{},
		"StatefulSet": &appsv1.StatefulSet{}, "Secret": &corev1.Secret{},
	}
	o, ok := kinds[s.Object.Kind]
	if !ok {
		return verdict.Result{Outcome: verdict.NotDone}
	}
	o.SetName(s.Object.Name)
	return outcome(p.cluster.Delete(ctx, o, s.UID, s.Revision))
}
