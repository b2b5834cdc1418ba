package verify

import (
	"encoding/json"
	"errors"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
)

// Live is one of the nine as it was read: a pointer to the typed struct of
// package k8s.io/api, such as *corev1.Service. The type stands for the kind;
// TypeMeta may be empty.
type Live = metav1.Object

// ErrType means an object that is of none of the nine's kinds, or JSON that is
// not of its kind. The text holds nothing of the object.
var ErrType = errors.New("not an object of one of the nine's kinds")

// empty returns a new typed struct of a kind.
func empty(kind string) (Live, error) {
	switch kind {
	case "ServiceAccount":
		return &corev1.ServiceAccount{}, nil
	case "Role":
		return &rbacv1.Role{}, nil
	case "RoleBinding":
		return &rbacv1.RoleBinding{}, nil
	case "ConfigMap":
		return &corev1.ConfigMap{}, nil
	case "Service":
		return &corev1.Service{}, nil
	case "PodDisruptionBudget":
		return &policyv1.PodDisruptionBudget{}, nil
	case "StatefulSet":
		return &appsv1.StatefulSet{}, nil
	}
	return nil, ErrType
}

func kindOf(live Live) (string, error) {
	switch live.(type) {
	case *corev1.ServiceAccount:
		return "ServiceAccount", nil
	case *rbacv1.Role:
		return "Role", nil
	case *rbacv1.RoleBinding:
		return "RoleBinding", nil
	case *corev1.ConfigMap:
		return "ConfigMap", nil
	case *corev1.Service:
		return "Service", nil
	case *policyv1.PodDisruptionBudget:
		return "PodDisruptionBudget", nil
	case *appsv1.StatefulSet:
		return "StatefulSet", nil
	}
	return "", ErrType
}

// Decode reads the JSON of an object into the typed struct of its kind; fields
// that the struct lacks are dropped. The error is ErrType.
func Decode(kind string, data []byte) (Live, error) {
	o, err := empty(kind)
	if err != nil || json.Unmarshal(data, o) != nil {
		return nil, ErrType
	}
	return o, nil
}

// tree returns what counts of an object: everything but status, and of its
// metadata the name, the namespace and the keys of this product. The kind is that
// of the type, which a client may have left out.
func tree(live Live) (map[string]any, error) {
	kind, err := kindOf(live)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(live)
	if err != nil {
		return nil, ErrType
	}
	var t map[string]any
	if json.Unmarshal(data, &t) != nil {
		return nil, ErrType
	}
	delete(t, "status")
	delete(t, "apiVersion")
	t["kind"] = kind
	if kind == "ConfigMap" && t["data"] == nil { // no data at all are none of the minter's either (DL-06)
		t["data"] = map[string]any{}
	}
	t["metadata"] = map[string]any{
		"name":        live.GetName(),
		"namespace":   live.GetNamespace(),
		"labels":      own(live.GetLabels()),
		"annotations": own(live.GetAnnotations()),
	}
	return t, nil
}

// own are the keys of this product.
func own(keys map[string]string) map[string]any {
	out := map[string]any{}
	for k, v := range keys {
		if strings.HasPrefix(k, api.KeyPrefix) {
			out[k] = v
		}
	}
	return out
}
