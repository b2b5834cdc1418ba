package deploy

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"

	"tsunaro.io/gateway/renderer/api"
)

// permissions are single ones, as text.
type permissions map[string]bool

func (p permissions) add(s Scope, group, resource, name, verb string) {
	p[fmt.Sprintf("%s: %s %s/%s %q", s, verb, group, resource, name)] = true
}

// roles are the permissions of the manifests.
func (b build) roles(t *testing.T) permissions {
	t.Helper()
	var role rbacv1.Role
	var cluster rbacv1.ClusterRole
	b.get(t, "Role", api.DefaultOperatorNamespace, api.MinterName, &role)
	b.get(t, "ClusterRole", "", api.MinterName, &cluster)
	p := permissions{}
	for scope, rules := range map[Scope][]rbacv1.PolicyRule{OperatorNamespace: role.Rules, Everywhere: cluster.Rules} {
		for _, r := range rules {
			if len(r.NonResourceURLs) > 0 {
				t.Errorf("URLs %v", r.NonResourceURLs)
			}
			names := r.ResourceNames
			if len(names) == 0 {
				names = []string{""}
			}
			for _, group := range r.APIGroups {
				for _, resource := range r.Resources {
					for _, name := range names {
						for _, verb := range r.Verbs {
							p.add(scope, group, resource, name, verb)
						}
					}
				}
			}
		}
	}
	return p
}

// bindings are the subjects of both bindings; each refers to the role of its own
// kind.
func (b build) bindings(t *testing.T, cluster, namespace string) []string {
	t.Helper()
	var inside rbacv1.RoleBinding
	var everywhere rbacv1.ClusterRoleBinding
	b.get(t, "RoleBinding", namespace, api.MinterName, &inside)
	b.get(t, "ClusterRoleBinding", "", cluster, &everywhere)
	if r := inside.RoleRef; r.Kind != "Role" || r.Name != api.MinterName {
		t.Errorf("the RoleBinding refers to %v", r)
	}
	if r := everywhere.RoleRef; r.Kind != "ClusterRole" || r.Name != cluster {
		t.Errorf("the ClusterRoleBinding refers to %v", r)
	}
	var all []string
	for _, s := range slices.Concat(inside.Subjects, everywhere.Subjects) {
		all = append(all, s.Kind+" "+s.Namespace+"/"+s.Name)
	}
	if len(all) != 2 {
		t.Errorf("subjects %v, want one a binding", all)
	}
	return all
}

// The roles are the table. What an API server makes of them is test/lab/access.
//
// REQ: OP-02
func TestRolesAreTheTable(t *testing.T) {
	b, want := kustomize(t, "."), permissions{}
	for _, g := range Access() {
		for _, verb := range g.Verbs {
			want.add(g.Scope, g.Group, g.Resource, g.Name, verb)
		}
		if g.Why == "" || len(g.Verbs) == 0 {
			t.Errorf("%+v gives no reason, or nothing", g)
		}
	}
	if got := b.roles(t); !maps.Equal(got, want) {
		for p := range got {
			if !want[p] {
				t.Errorf("not in the table: %s", p)
			}
		}
		for p := range want {
			if !got[p] {
				t.Errorf("not in the roles: %s", p)
			}
		}
	}
	b.bindings(t, api.MinterName, api.DefaultOperatorNamespace)
}

// Nothing in the table makes more of the minter than it says.
//
// REQ: OP-02
func TestTableIsNarrow(t *testing.T) {
	forbidden := map[string][]string{
		"secrets":         {"list", "watch", "patch", "deletecollection"},
		"tailnetgateways": {"create", "update", "delete"},
		"tailnets":        {"create", "update", "delete"},
		"roles":           {"create", "update", "patch", "bind", "escalate"},
		"rolebindings":    {"create", "update", "patch"},
		"serviceaccounts": {"create", "update", "patch", "impersonate"},
		"pods":            {"create", "update", "patch", "delete"},
	}
	everywhere := []string{"tailnets", "tailnetgateways", "tailnets/status", "tailnetgateways/status", "events"}
	for _, g := range Access() {
		for _, verb := range g.Verbs {
			if verb == "*" || slices.Contains(forbidden[g.Resource], verb) {
				t.Errorf("%s %s", verb, g.Resource)
			}
		}
		if g.Group == "*" || g.Resource == "*" {
			t.Errorf("%+v is not narrow", g)
		}
		if g.Scope == Everywhere && !slices.Contains(everywhere, g.Resource) {
			t.Errorf("%s everywhere", g.Resource)
		}
	}
}

// The account is the one that the policies know, and nobody else's Pod gets its
// token by accident. No engine deletes the namespace, which holds every gateway's
// state.
//
// REQ: RN-09
func TestAccountAndNamespace(t *testing.T) {
	var account corev1.ServiceAccount
	var namespace corev1.Namespace
	b := kustomize(t, ".")
	b.get(t, "ServiceAccount", api.DefaultOperatorNamespace, api.MinterName, &account)
	if m := account.AutomountServiceAccountToken; m == nil || *m {
		t.Error("the account's token is mounted wherever its name is used")
	}
	b.get(t, "Namespace", "", api.DefaultOperatorNamespace, &namespace)
	for key, want := range map[string]string{api.AnnotationFluxPrune: "disabled", api.AnnotationArgoSync: "Prune=false,Delete=false"} {
		if got := namespace.Annotations[key]; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}
