package gateway

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/rewrite"
	"tsunaro.io/gateway/minter/teardown"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
)

// decision is what one pass has come to, for a gateway that lives or one that goes.
type decision struct {
	verdict.Verdict
	going *teardown.Verdict // nil while it lives
}

// decide decides on what was read, and reads what a teardown needs beside it.
func (p *reading) decide(ctx context.Context) decision {
	v := verdict.Decide(p.World)
	if !v.Teardown {
		return decision{Verdict: p.current(v)}
	}
	going := teardown.Decide(p.readTeardown(ctx))
	return decision{going.Verdict, &going}
}

// current brings a receipt of an older rule under the present one before anything
// is decided on it, but for what concerns the gateway whatever its receipts say
// (LC-17).
func (p *reading) current(v verdict.Verdict) verdict.Verdict {
	switch v.Step.Do {
	case verdict.RemoveForeignEntry, verdict.AddFinalizer, verdict.RemoveFinalizer:
		return v
	}
	w, concerned := rewrite.Decide(rewrite.World{World: p.World, Stage: p.stage, Former: p.former})
	if !concerned {
		return v
	}
	w.Evidence, w.Unheld = v.Evidence, v.Unheld
	return w
}

// failed is what is true when the step did not succeed.
func (d decision) failed(o verdict.Outcome) verdict.Verdict {
	if d.going == nil {
		return d.Verdict
	}
	return teardown.Failed(*d.going, o).Verdict
}

// readTeardown reads what is recorded, under the names of then, and what Headscale
// still has of it.
func (p *reading) readTeardown(ctx context.Context) teardown.World {
	w := teardown.World{World: p.World}
	w.Stage = observe.Map(kube.Read[corev1.ConfigMap](ctx, p.cluster, api.FreshNextName(p.gateway.Name)), observe.CompletionOf)
	w.Client = observe.Map(p.list.Client, func(*headscale.Client) struct{} { return struct{}{} })
	if p.Tailnet.Absent() {
		w.Client = observe.Absent[struct{}]()
	}
	for _, name := range teardown.Names(w) {
		w.Children = append(w.Children, observe.Map(live(ctx, p.cluster, name), func(o verify.Live) teardown.Child {
			return teardown.Child{UID: string(o.GetUID()), Deleting: o.GetDeletionTimestamp() != nil}
		}))
	}
	client, ok := p.list.Client.Get()
	if !ok {
		return w
	}
	if id, ok := teardown.Witness(w); ok {
		w.Gone = p.gone(ctx, client, id)
	}
	asked, _ := p.recorded()
	switch id, ok := teardown.Key(w); {
	case !ok:
		w.KeyExpires = observe.Fact[time.Time]{}
	case id != asked && id != p.Attempt.Spent:
		w.KeyExpires = keyExpires(ctx, client, id)
	}
	return w
}

// gone asks for the second witness, once the list that was read is one (B25).
func (p *reading) gone(ctx context.Context, client *headscale.Client, id node.ID) observe.Fact[bool] {
	nodes, known := p.Nodes.Get()
	switch {
	case !known:
		return observe.Fact[bool]{}
	case slices.ContainsFunc(nodes, func(n node.Node) bool { return n.ID == id }):
		return observe.Known(false)
	}
	return gone(ctx, client, id)
}

func gone(ctx context.Context, client *headscale.Client, id node.ID) observe.Fact[bool] {
	is, err := client.Gone(ctx, id)
	if err != nil {
		return observe.Unknown[bool](observe.Unreachable)
	}
	return observe.Known(is)
}

// deleteNode deletes the gateway's node at Headscale. One that both witnesses say
// is gone is deleted (B25).
func (p *reading) deleteNode(ctx context.Context, id node.ID) verdict.Result {
	client, ok := p.list.Client.Get()
	if !ok {
		return verdict.Result{Outcome: verdict.NotDone}
	}
	switch headscale.ClassOf(client.DeleteNode(ctx, id)) {
	case headscale.OK:
		return verdict.Result{Outcome: verdict.Done}
	case headscale.NotFound:
		if is, _ := gone(ctx, client, id).Get(); is {
			return verdict.Result{Outcome: verdict.Done}
		}
		return verdict.Result{Outcome: verdict.NotDone}
	case headscale.Unauthorized, headscale.Refused:
		return verdict.Result{Outcome: verdict.NotDone}
	}
	return verdict.Result{Outcome: verdict.Lost}
}
