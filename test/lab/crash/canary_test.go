//go:build lab && linux

package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/tailnet"
	"tsunaro.io/gateway/minter/verdict"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/loopback"
)

// TestCanary looks for the keys that a gateway's life makes, wherever somebody could
// read them: what the minter logs, at its usual level and at the most talkative one,
// what it tells about itself and what it writes. The gateway is taken to Ready, and
// its working key is replaced.
//
// REQ: MT-05, ST-03, ST-08
func TestCanary(t *testing.T) {
	t.Parallel()
	for _, level := range []string{"info", "trace"} {
		t.Run(level, func(t *testing.T) {
			t.Parallel()
			canaryAt(t, level)
		})
	}
}

func canaryAt(t *testing.T, level string) {
	g := newPlace(world(t), labtest.Ways{}).newGateway(running)
	metrics := loopback.Own().String() + ":8080"
	arguments := []string{"--log-level=" + level, "--metrics-addr=" + metrics}
	g.Start(arguments...)
	g.commit()
	g.awaitReady()
	g.wantKeys(1, 0)
	g.refuseWorkingKey()

	keys := g.secrets()
	if len(keys) != 4 { // of the user's, two working keys, one of the node's
		t.Fatalf("%d keys were seen", len(keys))
	}
	places := g.readable(metrics)
	for place, text := range places {
		for name, key := range keys {
			if holds(text, key) {
				t.Errorf("%s: the %s is in it", place, name)
			}
		}
	}
	g.control(keys)
	t.Logf("%d places, %d bytes", len(places), size(places))
}

func size(places map[string][]byte) (n int) {
	for _, text := range places {
		n += len(text)
	}
	return n
}

// refuseWorkingKey puts something else in the working key's place, and waits until
// the minter has made another.
func (g *gateway) refuseWorkingKey() {
	g.Helper()
	name := api.WorkingKeySecretName(g.tailnet)
	g.Must(apiserver.Admin, "", "patch", "secret", name, "--namespace="+g.Namespace, "--type=merge", `--patch={"stringData":{"apikey":"hskey-api-000000000000-wrong"}}`)
	g.Must(apiserver.Admin, "", "annotate", "tailnet", g.tailnet, "look=again") // Secrets are not watched
	store := onTailnet + tailnet.Store.String()
	g.Await("the working key is replaced", func(context.Context) error {
		n := 0
		for _, w := range g.done() {
			if g.what(w) == store {
				n++
			}
		}
		if n != 2 {
			return fmt.Errorf("it was stored %d times", n)
		}
		return nil
	})
}

// secrets are the secret parts of all keys that Headscale has given out here, and of
// the user's, by what they are.
func (g *gateway) secrets() map[string]string {
	g.Helper()
	all := map[string]string{}
	add := func(what, key string) {
		secret, ok := canary(key)
		if !ok {
			g.Fatalf("the %s is no key of Headscale's", what)
		}
		all[what] = secret
	}
	add("bootstrap key", shared.bootstrap)
	for _, w := range g.done() {
		var answer struct {
			APIKey     string
			PreAuthKey struct{ Key string }
		}
		switch g.what(w) {
		case onTailnet + tailnet.Mint.String(), string(verdict.Mint):
			if err := json.Unmarshal(w.Answer, &answer); err != nil {
				g.Fatal(err)
			}
		}
		switch {
		case answer.APIKey != "":
			add(fmt.Sprintf("working key of write %d", w.Number), answer.APIKey)
		case answer.PreAuthKey.Key != "":
			add("pre-auth key", answer.PreAuthKey.Key)
		}
	}
	return all
}

// readable is everything that says something about the gateway and is no Secret with
// one of the keys, by where it is.
func (g *gateway) readable(metrics string) map[string][]byte {
	g.Helper()
	all := map[string][]byte{"log": g.Said(), "metrics": g.page("http://" + metrics + "/metrics")}
	for _, command := range []string{
		"get --output=yaml --show-managed-fields tailnets,tailnetgateways",
		"describe tailnet " + g.tailnet, "describe tailnetgateway " + g.name, // of other tests' some go just then
		"get --output=yaml --show-managed-fields --all-namespaces events,configmaps,leases",
		"describe --namespace=" + g.Namespace + " configmaps,secrets,pods",
		"get --output=yaml --show-managed-fields --namespace=" + g.Namespace + " statefulsets,services,endpointslices,serviceaccounts,roles,rolebindings,poddisruptionbudgets,pods,controllerrevisions",
		"logs --namespace=" + g.Namespace + " --all-containers --prefix " + g.name + "-0",
	} {
		all["kubectl "+command] = []byte(g.Must(apiserver.Admin, "", strings.Fields(command)...))
	}
	for _, w := range g.Tap.Writes() {
		if w.Server == labtest.TheAPIServer && !strings.Contains(w.Path, "/secrets") {
			all[fmt.Sprintf("write %d, %s %s", w.Number, w.Method, w.Path)] = slices.Concat(w.Body, w.Answer)
		}
	}
	for _, s := range g.listSecrets() {
		if g.keeps(s) {
			s.Data = nil
		}
		for key, value := range s.Data {
			all["Secret "+s.Name+", "+key] = value
		}
		b, err := json.Marshal(s)
		if err != nil {
			g.Fatal(err)
		}
		all["Secret "+s.Name] = b
	}
	return all
}

// keeps reports whether a Secret is one of those that keys are for.
func (g *gateway) keeps(s corev1.Secret) bool {
	return slices.Contains([]string{"headscale-bootstrap", api.AuthSecretName(g.name), api.WorkingKeySecretName(g.tailnet)}, s.Name)
}

func (g *gateway) listSecrets() []corev1.Secret {
	g.Helper()
	var list corev1.SecretList
	if err := shared.admin.List(g.Context(), &list, client.InNamespace(g.Namespace)); err != nil {
		g.Fatal(err)
	}
	return list.Items
}

// wantSilent wants none of the keys in what the minters have logged.
func (g *gateway) wantSilent() {
	g.Helper()
	said := g.Said()
	for name, key := range g.secrets() {
		if holds(said, key) {
			g.Errorf("the %s is in the log", name)
		}
	}
}

// control finds each key that is in use where it has to be, as kubectl shows it.
func (g *gateway) control(keys map[string]string) {
	g.Helper()
	var kept []byte
	for _, s := range g.listSecrets() {
		if g.keeps(s) {
			b, err := json.Marshal(s)
			if err != nil {
				g.Fatal(err)
			}
			kept = append(kept, b...)
		}
	}
	found := 0
	for _, key := range keys {
		if holds(kept, key) {
			found++
		}
	}
	if found != len(keys)-1 { // one working key was replaced
		g.Errorf("the search finds %d of %d keys in their own Secrets", found, len(keys))
	}
}

// page is what a server of the minter's tells.
func (g *gateway) page(url string) []byte {
	g.Helper()
	request, err := http.NewRequestWithContext(g.Context(), http.MethodGet, url, nil)
	if err != nil {
		g.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		g.Fatal(err)
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil || !strings.Contains(string(b), "tailnet_") {
		g.Fatalf("%s has no metrics of Tailnets: %v", url, err)
	}
	return b
}
