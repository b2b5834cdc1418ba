//go:build lab && linux

package gateway

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

const tokenFile = "/var/run/secrets/kubernetes.io/serviceaccount/token"

// account takes the token out of the Pod, and sees how long it is good for and what
// it lets its holder do.
//
// REQ: PD-05, PD-06
func (g *gateway) account() {
	pod := g.AwaitReady(namespace, g.podName())
	token := g.Exec(namespace, g.podName(), "tailscale", "cat", tokenFile).Stdout
	var claims struct {
		Exp, Iat   int64
		Sub        string
		Kubernetes struct {
			Pod struct{ Name, UID string }
		} `json:"kubernetes.io"`
	}
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		g.Fatalf("the token has %d parts", len(parts))
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err == nil {
		err = json.Unmarshal(payload, &claims)
	}
	if err != nil {
		g.Fatal(err)
	}
	// The API server adds seven seconds to what was asked for.
	if life := time.Duration(claims.Exp-claims.Iat) * time.Second; life < time.Hour || life > time.Hour+time.Minute {
		g.Errorf("the token is good for %v, want an hour", life)
	}
	if claims.Kubernetes.Pod.UID != string(pod.UID) || claims.Sub != "system:serviceaccount:"+namespace+":"+g.name {
		g.Errorf("the token is for %+v", claims)
	}
	if *pod.Spec.AutomountServiceAccountToken {
		g.Error("the Pod mounts tokens by itself")
	}
	config, err := g.Lab.Access.Config(apiserver.Admin)
	if err != nil {
		g.Fatal(err)
	}
	own, err := kubernetes.NewForConfig(&rest.Config{
		Host: config.Host, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAData: config.CAData},
	})
	if err != nil {
		g.Fatal(err)
	}
	g.rules(own)
	g.attempts(own)
}

// rules asks the server what the account may do in the namespace, beside what every
// account may: ask about itself.
func (g *gateway) rules(own kubernetes.Interface) {
	g.Helper()
	review, err := own.AuthorizationV1().SelfSubjectRulesReviews().Create(g.Context(), &authorizationv1.SelfSubjectRulesReview{
		Spec: authorizationv1.SelfSubjectRulesReviewSpec{Namespace: namespace},
	}, metav1.CreateOptions{})
	if err != nil {
		g.Fatal(err)
	}
	rules := slices.DeleteFunc(review.Status.ResourceRules, func(r authorizationv1.ResourceRule) bool {
		return slices.Contains(r.APIGroups, "authorization.k8s.io") || slices.Contains(r.APIGroups, "authentication.k8s.io")
	})
	want := fmt.Sprint([]authorizationv1.ResourceRule{{
		Verbs: []string{"get", "update", "patch"}, APIGroups: []string{""}, Resources: []string{"secrets"}, ResourceNames: []string{api.StateSecretName(g.name)},
	}})
	if got := fmt.Sprint(rules); got != want {
		g.Errorf("the account may %s, want %s", got, want)
	}
}

// attempts tries each of those and what is next to them. Nothing is written.
func (g *gateway) attempts(own kubernetes.Interface) {
	ctx, dry := g.Context(), []string{metav1.DryRunAll}
	secrets := own.CoreV1().Secrets(namespace)
	state, err := secrets.Get(ctx, api.StateSecretName(g.name), metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	patch := func(name string) error {
		_, err := secrets.Patch(ctx, name, types.MergePatchType, []byte(`{"data":{"x":"eA=="}}`), metav1.PatchOptions{DryRun: dry})
		return err
	}
	for _, c := range []struct {
		what    string
		allowed bool
		try     func() error
	}{
		{"update the state", true, func() error {
			_, err := secrets.Update(ctx, state, metav1.UpdateOptions{DryRun: dry})
			return err
		}},
		{"patch the state", true, func() error { return patch(state.Name) }},
		{"delete the state", false, func() error {
			return secrets.Delete(ctx, state.Name, metav1.DeleteOptions{DryRun: dry})
		}},
		{"read the key", false, func() error {
			_, err := secrets.Get(ctx, api.AuthSecretName(g.name), metav1.GetOptions{})
			return err
		}},
		{"patch the key", false, func() error { return patch(api.AuthSecretName(g.name)) }},
		{"list Secrets", false, func() error {
			_, err := secrets.List(ctx, metav1.ListOptions{})
			return err
		}},
		{"create a Secret", false, func() error {
			_, err := secrets.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "x"}}, metav1.CreateOptions{DryRun: dry})
			return err
		}},
		{"read the zone", false, func() error {
			_, err := own.CoreV1().ConfigMaps(namespace).Get(ctx, api.CoreDNSName(g.name), metav1.GetOptions{})
			return err
		}},
		{"read itself", false, func() error {
			_, err := own.CoreV1().Pods(namespace).Get(ctx, g.podName(), metav1.GetOptions{})
			return err
		}},
	} {
		if err := c.try(); (err == nil) != c.allowed || err != nil && !apierrors.IsForbidden(err) {
			g.Errorf("%s: %v", c.what, err)
		}
	}
}
