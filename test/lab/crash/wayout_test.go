//go:build lab && linux

package crash

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/expiry"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/rules"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// goOn lets the next process bring the gateway to Ready in the way that the table
// has, with what it asks for: the lapse of a key, or the commands of its messages.
// At no time are there two keys that somebody could use.
func (g *gateway) goOn(w way) {
	g.Helper()
	had := len(g.keys())
	if w == expires || w == byHand {
		g.blockedAs(w)
		g.lead()
		g.wantKeys(had+1, 0) // the one before has expired
		return
	}
	g.awaitReady()
	g.wantKeys(1, 0)
}

// blockedAs waits until the minter says what the contract says: that it waits for the
// expiry which the registry holds, or that GW-auth is in the way.
func (g *gateway) blockedAs(w way) {
	g.Helper()
	message, _ := g.awaitBlocked("")
	e, err := g.entry(g.Context())
	if err != nil {
		g.Fatal(err)
	}
	secret := rules.Object{Kind: "Secret", Namespace: g.Namespace, Name: api.AuthSecretName(g.name)}
	want := "undone by itself when that key has expired, after " + expiry.Format(e.MintExpires) + "."
	if w == byHand {
		want = "remove it: `" + verdict.Remove(secret) + "`."
	}
	if !strings.HasPrefix(message, secret.String()+" ") || !strings.HasSuffix(message, want) {
		g.Errorf("it says %q, want %s … %s", message, secret, want)
	}
	if left := time.Until(e.MintExpires); left < 23*time.Hour || left > 24*time.Hour {
		g.Errorf("the key expires in %v", left)
	}
	if w == byHand {
		g.Await("the node has started with the key", func(ctx context.Context) error {
			_, err := shared.headscale.Node(ctx, g.name)
			return err
		})
	}
	g.wantAtMostOne()
}

// awaitBlocked waits until the gateway is blocked and says something else than
// before, or is done.
func (g *gateway) awaitBlocked(before string) (message string, done bool) {
	g.Helper()
	g.Await("it is blocked, or done", func(ctx context.Context) error {
		var cr v1alpha1.TailnetGateway
		if _, err := g.Find(ctx, g.name, &cr); err != nil {
			return err
		}
		c := apimeta.FindStatusCondition(cr.Status.Conditions, api.ConditionReady)
		switch {
		case c == nil || c.Message == before:
			return fmt.Errorf("it says %v", c)
		case c.Reason == g.end:
			done = true
			return nil
		case c.Reason != api.ReasonFreshBlocked:
			return fmt.Errorf("%s: %s", c.Reason, c.Message)
		}
		if !apimeta.IsStatusConditionTrue(cr.Status.Conditions, api.ConditionStalled) {
			g.Errorf("blocked, and not stalled: %+v", cr.Status.Conditions)
		}
		message = c.Message
		return nil
	})
	return message, done
}

// untilWhen is where a message says that there is nothing to do but to wait.
var untilWhen = regexp.MustCompile(`undone by itself when that key has expired`)

// longest is how many things one message after the other may ask for: GW-auth, an
// expiry, the state Secret, the nine at once, a Pod and a node.
const longest = 6

// lead does what the messages ask for until the gateway is done.
func (g *gateway) lead() {
	g.Helper()
	last := ""
	for range longest + 1 {
		message, done := g.awaitBlocked(last)
		if done {
			return
		}
		last = message
		if command := labtest.Remedy(message); command != "" {
			g.Logf("%s: %s", g.name, message)
			g.Obey(command)
		} else if untilWhen.MatchString(message) {
			g.lapse()
		} else {
			g.Fatalf("no way out: %s", message)
		}
		g.wantAtMostOne()
	}
	g.Fatalf("there is no end: %s", last)
}

// lapse is the 24 hours that a key lasts: the entry says that they are over, and so
// does Headscale. Nothing else of an attempt is about time.
func (g *gateway) lapse() {
	g.Helper()
	g.lapsed += usable(g.keys())
	for _, k := range g.keys() {
		if err := shared.headscale.Call(g.Context(), http.MethodPost, "/api/v1/preauthkey/expire", map[string]string{"id": k.ID}, nil); err != nil {
			g.Fatal(err)
		}
	}
	registries := g.Client(apiserver.Minter(g.Namespace)).CoreV1().ConfigMaps(g.Namespace)
	m, err := registries.Get(g.Context(), api.BindingsName, metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	m.Data[api.BindingKey(g.name, api.BindingMintExpires)] = expiry.Format(time.Now().Add(-time.Second))
	if _, err := registries.Update(g.Context(), m, metav1.UpdateOptions{}); err != nil {
		g.Fatal(err)
	}
}

// key is a pre-auth key as Headscale lists it.
type key struct {
	ID         string
	Expiration time.Time
	ACLTags    []string
}

// keys are all that were ever made for the gateway: its tag is nobody else's.
func (g *gateway) keys() []key {
	g.Helper()
	all, err := allKeys(g.Context())
	if err != nil {
		g.Fatal(err)
	}
	return all[g.tag]
}

// allKeys are the keys that Headscale has, by tag.
func allKeys(ctx context.Context) (map[string][]key, error) {
	var list struct{ PreAuthKeys []key }
	if err := shared.headscale.Call(ctx, http.MethodGet, "/api/v1/preauthkey", nil, &list); err != nil {
		return nil, err
	}
	all := map[string][]key{}
	for _, k := range list.PreAuthKeys {
		for _, tag := range k.ACLTags {
			all[tag] = append(all[tag], k)
		}
	}
	return all, nil
}

// usable are the keys that make nodes.
func usable(keys []key) int {
	return len(slices.DeleteFunc(slices.Clone(keys), func(k key) bool { return !k.Expiration.After(time.Now()) }))
}

func (g *gateway) wantAtMostOne() {
	g.Helper()
	if n := usable(g.keys()); n > 1 {
		g.Errorf("%d keys can be used", n)
	}
}

// wantKeys waits until so many keys of those that were made can be used.
func (g *gateway) wantKeys(made, left int) {
	g.Helper()
	g.Await(fmt.Sprintf("of %d keys %d can be used", made, left), func(ctx context.Context) error {
		all, err := allKeys(ctx)
		if keys := all[g.tag]; err == nil && (len(keys) != made || usable(keys) != left) {
			err = fmt.Errorf("there are %d, of which %d can be used", len(keys), usable(keys))
		}
		return err
	})
}
