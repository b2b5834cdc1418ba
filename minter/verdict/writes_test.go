package verdict_test

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/minter/mint"
	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/sealed"
	"tsunaro.io/gateway/minter/verdict"
)

// carryOut does what a step says, or says why not.
func (c *cluster) carryOut(s verdict.Step) verdict.Result {
	done, notDone := verdict.Result{Outcome: verdict.Done}, verdict.Result{Outcome: verdict.NotDone}
	switch s.Do {
	case verdict.AddFinalizer, verdict.RemoveFinalizer:
		if s.UID != string(c.gateway.UID) || s.Revision != c.gateway.ResourceVersion {
			return notDone
		}
		c.gateway.Finalizers = nil
		if s.Do == verdict.AddFinalizer {
			c.gateway.Finalizers = []string{"tsunaro.io/gateway-teardown"}
		}
		c.gateway.ResourceVersion = c.revision()
		c.finalizer++
		return done
	case verdict.RemoveForeignEntry, verdict.OpenEntry, verdict.SwapMinting, verdict.SwapComplete, verdict.RewriteEntry, verdict.CloseEntry:
		if (c.registry == nil) != (s.Revision == "") || c.registry != nil && c.registry.Revision != s.Revision {
			return notDone
		}
		c.registry = &observe.Registry{Revision: c.revision(), Data: maps.Clone(s.Data)}
		return done
	case verdict.CreateState:
		if c.state != nil {
			return notDone
		}
		c.state = &observe.State{Object: c.created(s), Content: proof.Empty}
		done.UID = c.state.UID
		return done
	case verdict.CreateAuth:
		return c.createAuth(s)
	case verdict.CreateAuthReceipt:
		if c.authReceipt != nil {
			return notDone
		}
		r := observe.AuthRecordOf(c.configMap(s))
		c.authReceipt = &r
		return done
	case verdict.CreateFresh:
		if c.fresh != nil {
			return notDone
		}
		r := observe.CompletionOf(c.configMap(s))
		c.fresh = &r
		return done
	case verdict.Mint:
		return c.mint(s.Request)
	case verdict.ExpireKey:
		for _, k := range c.keys {
			if k.id == s.Key && c.alive(k) {
				k.expires = c.now
			}
		}
		return done
	case verdict.DeleteObject:
		return c.delete(s)
	case verdict.DeleteState:
		if c.state == nil || c.state.UID != s.UID || c.state.Revision != s.Revision {
			return notDone
		}
		c.state = nil
		return done
	}
	c.Fatalf("no such step: %q", s.Do)
	return notDone
}

func (c *cluster) created(s verdict.Step) observe.Object {
	return observe.Object{UID: c.next(), Revision: c.revision(), Created: c.now, Labels: s.Labels, Immutable: s.Immutable}
}

func (c *cluster) configMap(s verdict.Step) *corev1.ConfigMap {
	o := c.created(s)
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: s.Object.Name, Namespace: s.Object.Namespace, UID: types.UID(o.UID), ResourceVersion: o.Revision, Labels: o.Labels},
		Immutable:  &o.Immutable, Data: s.Data,
	}
}

func (c *cluster) createAuth(s verdict.Step) verdict.Result {
	if c.auth != nil {
		return verdict.Result{Outcome: verdict.NotDone}
	}
	o := c.created(s)
	c.auth = &secret{o, mint.Stored{
		UID: o.UID, Revision: o.Revision, Immutable: s.Immutable, Bytes: s.Secret["authkey"],
		ID: s.Annotations["tsunaro.io/key-id"], Expires: s.Annotations["tsunaro.io/key-expires"],
	}}
	return verdict.Result{Outcome: verdict.Done, Stored: c.auth.Stored}
}

func (c *cluster) mint(r mint.Request) verdict.Result {
	k := &key{id: node.ID(fmt.Sprint(len(c.keys) + 7)), text: fmt.Sprintf("key-%d", len(c.keys)), expires: r.Expiration}
	c.keys = append(c.keys, k)
	return verdict.Result{
		Outcome: verdict.Done, Bytes: sealed.New(k.text),
		Key: node.Key{ID: k.id, Reusable: r.Reusable, Ephemeral: r.Ephemeral, Tags: r.Tags, Expiration: r.Expiration},
	}
}

func (c *cluster) delete(s verdict.Step) verdict.Result {
	for i, o := range c.nine {
		if o != nil && c.names()[i] == s.Object && o.uid == s.UID {
			c.nine[i] = nil
			return verdict.Result{Outcome: verdict.Done}
		}
	}
	return verdict.Result{Outcome: verdict.NotDone}
}
