//go:build lab

package access

import (
	"fmt"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"tsunaro.io/gateway/renderer/api"
)

// However the minter might try to become more than it is, the server says no.
//
// REQ: OP-02
func TestMinterCannotBecomeMore(t *testing.T) {
	l := start(t)
	ctx, c := t.Context(), l.client(minter())
	everything := []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"*"}}}
	pods := []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods"}, Verbs: []string{"get"}}} // which it may itself
	self := []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: api.MinterName, Namespace: namespace}}
	admin := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"}
	more := []byte(fmt.Sprintf(`[{"op": "add", "path": "/rules/-", "value": %s}]`, `{"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}`))
	x := metav1.ObjectMeta{Name: "x"}
	for what, err := range map[string]error{
		"a Role with everything":   failure(c.RbacV1().Roles(namespace).Create(ctx, &rbacv1.Role{ObjectMeta: x, Rules: everything}, metav1.CreateOptions{})),
		"a Role with what it has":  failure(c.RbacV1().Roles(namespace).Create(ctx, &rbacv1.Role{ObjectMeta: x, Rules: pods}, metav1.CreateOptions{})),
		"a Role elsewhere":         failure(c.RbacV1().Roles(another).Create(ctx, &rbacv1.Role{ObjectMeta: x, Rules: pods}, metav1.CreateOptions{})),
		"a ClusterRole":            failure(c.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{ObjectMeta: x, Rules: pods}, metav1.CreateOptions{})),
		"more in its Role":         failure(c.RbacV1().Roles(namespace).Patch(ctx, api.MinterName, types.JSONPatchType, more, metav1.PatchOptions{})),
		"more in its ClusterRole":  failure(c.RbacV1().ClusterRoles().Patch(ctx, api.MinterName, types.JSONPatchType, more, metav1.PatchOptions{})),
		"a binding":                failure(c.RbacV1().RoleBindings(namespace).Create(ctx, &rbacv1.RoleBinding{ObjectMeta: x, RoleRef: admin, Subjects: self}, metav1.CreateOptions{})),
		"a binding elsewhere":      failure(c.RbacV1().RoleBindings("kube-system").Create(ctx, &rbacv1.RoleBinding{ObjectMeta: x, RoleRef: admin, Subjects: self}, metav1.CreateOptions{})),
		"a binding everywhere":     failure(c.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{ObjectMeta: x, RoleRef: admin, Subjects: self}, metav1.CreateOptions{})),
		"a Pod":                    failure(c.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{ObjectMeta: x, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "x"}}}}, metav1.CreateOptions{})),
		"a token":                  failure(c.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, api.MinterName, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})),
		"all Secrets":              failure(c.CoreV1().Secrets(namespace).List(ctx, metav1.ListOptions{})),
		"a watch of Secrets":       failure(c.CoreV1().Secrets(namespace).Watch(ctx, metav1.ListOptions{})),
		"a Secret elsewhere":       failure(c.CoreV1().Secrets(another).Get(ctx, "x", metav1.GetOptions{})),
		"all ConfigMaps elsewhere": failure(c.CoreV1().ConfigMaps("").List(ctx, metav1.ListOptions{})),
	} {
		if !apierrors.IsForbidden(err) {
			t.Errorf("%s: %v", what, err)
		}
	}
	l.impersonates()
}

// failure is the error of a call.
func failure[T any](_ T, err error) error { return err }

// impersonates wants the minter to be refused as whoever it says it is.
func (l lab) impersonates() {
	l.Helper()
	config, err := l.Config(minter())
	if err != nil {
		l.Fatal(err)
	}
	for _, as := range []rest.ImpersonationConfig{
		{UserName: "admin"}, {UserName: "system:serviceaccount:" + namespace + ":default"}, {UserName: "x", Groups: []string{"system:masters"}},
	} {
		config := rest.CopyConfig(config)
		config.Impersonate = as
		c, err := kubernetes.NewForConfig(config)
		if err != nil {
			l.Fatal(err)
		}
		_, err = c.CoreV1().Secrets(namespace).Get(l.Context(), "x", metav1.GetOptions{})
		if !apierrors.IsForbidden(err) || !strings.Contains(err.Error(), "impersonate") {
			l.Errorf("as %+v: %v", as, err)
		}
	}
}
