package deploy

import "tsunaro.io/gateway/renderer/api"

// Scope is where a Grant holds.
type Scope string

// The scopes. Everywhere is every namespace, and what is in none.
const (
	OperatorNamespace Scope = "operator namespace"
	Everywhere        Scope = "everywhere"
)

// Grant lets the minter use verbs on a resource.
type Grant struct {
	Scope    Scope
	Group    string // empty is the core group
	Resource string // with its subresource: tailnets/status
	Name     string // empty is every name
	Verbs    []string
	Why      string
}

// Access returns all that the minter may do beyond what every service account may
// (OP-02). There is no verb here that the minter does not use.
func Access() []Grant {
	nine := []string{"get", "list", "watch", "delete"}
	const undo = "compares the nine resources with their rendering; deletes by UID those of an attempt that is undone"
	return []Grant{
		{OperatorNamespace, "", "secrets", "", []string{"get", "create", "update", "delete"},
			"state, auth key, working key and bootstrap key, by their names: no Secret is ever listed or watched"},
		{OperatorNamespace, "", "configmaps", "", []string{"get", "list", "watch", "create", "update", "delete"},
			"the bindings registry and the receipts; reads hosts sources and CA bundles; deletes like the rest of the nine"},
		{OperatorNamespace, "", "pods", "", []string{"get", "list", "watch"}, "a key is minted for the one Pod that waits for it"},
		{OperatorNamespace, "", "serviceaccounts", "", nine, undo},
		{OperatorNamespace, "", "services", "", nine, undo},
		{OperatorNamespace, "apps", "statefulsets", "", nine, undo},
		{OperatorNamespace, "policy", "poddisruptionbudgets", "", nine, undo},
		{OperatorNamespace, "rbac.authorization.k8s.io", "roles", "", nine, undo},
		{OperatorNamespace, "rbac.authorization.k8s.io", "rolebindings", "", nine, undo},
		{OperatorNamespace, api.Group, "tailnetegresses", "", []string{"list", "watch"}, "their targets are routes"},
		{OperatorNamespace, "coordination.k8s.io", "leases", "", []string{"create"}, "one of the replicas works at a time"},
		{OperatorNamespace, "coordination.k8s.io", "leases", api.MinterName, []string{"get", "update"}, "the same"},
		{Everywhere, api.Group, "tailnets", "", []string{"get", "list", "watch", "patch"},
			"says which Headscale. Of the patch the policy `tsunaro-custom-resources` leaves the minter's own finalizer"},
		{Everywhere, api.Group, "tailnetgateways", "", []string{"get", "list", "watch", "patch"}, "says what a gateway is. The patch is the same"},
		{Everywhere, api.Group, "tailnets/status", "", []string{"update"}, "conditions"},
		{Everywhere, api.Group, "tailnetgateways/status", "", []string{"update"}, "the same"},
		{Everywhere, "", "events", "", []string{"create", "patch"}, "Kubernetes keeps events about cluster-scoped objects in the namespace `default`"},
	}
}
