package apiserver

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"tsunaro.io/gateway/renderer/api"
)

// masters may do everything that admission lets them: what a test sees refused
// is then refused by admission and not by RBAC.
const masters = "system:masters"

// Identity is whom the server takes a client for.
type Identity struct {
	User   string
	Groups []string
}

// Identities that tests act as. All of them are cluster administrators.
var (
	Admin      = Identity{"admin", []string{masters}}
	Person     = Identity{"jane@lab.example", []string{masters}}
	FluxEngine = ServiceAccount("flux-system", "kustomize-controller")
	ArgoEngine = ServiceAccount("argocd", "argocd-application-controller")
)

// Minter is the minter of an operator namespace.
func Minter(namespace string) Identity { return ServiceAccount(namespace, api.MinterName) }

// ServiceAccount is an account with a cluster administrator's rights.
func ServiceAccount(namespace, name string) Identity {
	return Identity{
		User:   "system:serviceaccount:" + namespace + ":" + name,
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, masters},
	}
}

// client is an identity's access: a configuration for Go clients and the same
// as a file for kubectl.
type client struct {
	config     *rest.Config
	kubeconfig string
}

// client returns the access of an identity, which is made on first use.
func (a *Access) client(id Identity) (client, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	name := id.User + " " + fmt.Sprint(slices.Sorted(slices.Values(id.Groups)))
	if c, ok := a.clients[name]; ok {
		return c, nil
	}
	cert, key, err := a.ca.client(id)
	if err != nil {
		return client{}, err
	}
	c := client{
		config: &rest.Config{
			Host:            a.URL,
			TLSClientConfig: rest.TLSClientConfig{CAData: a.ca.cert, CertData: cert, KeyData: key},
			QPS:             -1, // the server's own flow control is enough
		},
		kubeconfig: filepath.Join(a.dir, fmt.Sprintf("client-%d.kubeconfig", len(a.clients))),
	}
	if err := writeKubeconfig(c); err != nil {
		return client{}, err
	}
	a.clients[name] = c
	return c, nil
}

func writeKubeconfig(c client) error {
	named := func(key string, value map[string]any) []any {
		return []any{map[string]any{"name": "test", key: value}}
	}
	b, err := yaml.Marshal(map[string]any{
		"apiVersion": "v1",
		"kind":       "Config",
		"clusters":   named("cluster", map[string]any{"server": c.config.Host, "certificate-authority-data": c.config.CAData}),
		"users":      named("user", map[string]any{"client-certificate-data": c.config.CertData, "client-key-data": c.config.KeyData}),
		"contexts":   named("context", map[string]any{"cluster": "test", "user": "test"}),

		"current-context": "test",
	})
	if err != nil {
		return err
	}
	return os.WriteFile(c.kubeconfig, b, 0o600)
}
