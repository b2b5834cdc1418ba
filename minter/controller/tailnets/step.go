package tailnets

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/minter/tailnet"
)

// carryOut does one step, and nothing else.
func (r *Reconciler) carryOut(ctx context.Context, w tailnet.World, s tailnet.Step) tailnet.Result {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	switch s.Do {
	case tailnet.Mint:
		b, _ := w.Bootstrap.Get()
		return r.mint(ctx, w, b.Key, s)
	case tailnet.Store:
		return r.store(ctx, s)
	case tailnet.Expire:
		secret, _ := w.Secret.Get()
		return r.expire(ctx, w, secret.Key, s)
	case tailnet.Delete:
		return written(r.cluster.Delete(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: s.Secret.Name}}, string(s.Secret.UID), s.Secret.ResourceVersion))
	}
	return tailnet.Result{} // only the memory changes
}

// mint asks for a key, once. What it answered with is in no error and no log.
func (r *Reconciler) mint(ctx context.Context, w tailnet.World, key sealed.Bytes, s tailnet.Step) tailnet.Result {
	pem, _ := w.CABundle.Get()
	c, err := r.clients.make(w.Tailnet.Name, targetOf(w.Tailnet, pem), key)
	if err != nil {
		return tailnet.Result{Outcome: tailnet.Denied}
	}
	defer c.Close()
	bytes, err := c.CreateAPIKey(ctx, s.Expires)
	if err != nil {
		return failed(err)
	}
	prefix, ok := headscale.APIKeyPrefix(bytes)
	if !ok { // it can be neither found nor ended
		return tailnet.Result{Outcome: tailnet.Lost, Problem: tailnet.NotHeadscale}
	}
	return tailnet.Result{Minted: tailnet.Minted{Key: bytes, Prefix: prefix}}
}

// failed is what an error of Headscale's client means.
func failed(err error) tailnet.Result {
	var e *headscale.Error
	switch class := headscale.ClassOf(err); {
	case class == headscale.Unauthorized:
		return tailnet.Result{Outcome: tailnet.Denied}
	case class == headscale.Lost && errors.As(err, &e):
		return tailnet.Result{Outcome: tailnet.Lost, Problem: problemOf(e.Cause)}
	default:
		return tailnet.Result{Outcome: tailnet.Failed, Problem: problemOf(class)}
	}
}

func (r *Reconciler) store(ctx context.Context, s tailnet.Step) tailnet.Result {
	write := r.cluster.Create
	if s.Secret.ResourceVersion != "" {
		write = r.cluster.Swap
	}
	return written(write(ctx, s.Secret.DeepCopy()))
}

// written is what is known about a write to the API server.
func written(err error) tailnet.Result {
	switch {
	case err == nil:
		return tailnet.Result{}
	case errors.Is(err, kube.Exists), errors.Is(err, kube.Conflict):
		return tailnet.Result{Outcome: tailnet.Raced}
	case errors.Is(err, kube.Lost):
		return tailnet.Result{Outcome: tailnet.Lost}
	default:
		return tailnet.Result{Outcome: tailnet.Failed}
	}
}

// expire ends a key. One that Headscale does not know is ended as well (B21).
func (r *Reconciler) expire(ctx context.Context, w tailnet.World, key sealed.Bytes, s tailnet.Step) tailnet.Result {
	pem, _ := w.CABundle.Get()
	c, err := r.clients.client(w.Tailnet.Name, targetOf(w.Tailnet, pem), key)
	if err != nil {
		return tailnet.Result{Outcome: tailnet.Denied}
	}
	err = c.ExpireAPIKey(ctx, s.Prefix)
	if err == nil || headscale.ClassOf(err) == headscale.NotFound {
		return tailnet.Result{}
	}
	return failed(err)
}
