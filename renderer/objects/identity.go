package objects

import (
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
)

func newServiceAccount(in model.Inputs) serviceAccount {
	return serviceAccount{
		typeMeta: typeMeta{"v1", "ServiceAccount"},
		Metadata: meta(in, in.Gateway.Name, nil),
	}
}

// newRole lets the Pod read and write exactly its state Secret (PD-06).
func newRole(in model.Inputs) role {
	return role{
		typeMeta: typeMeta{"rbac.authorization.k8s.io/v1", "Role"},
		Metadata: meta(in, in.Gateway.Name, nil),
		Rules: []policyRule{{
			Verbs:         []string{"get", "update", "patch"},
			APIGroups:     []string{""},
			Resources:     []string{"secrets"},
			ResourceNames: []string{api.StateSecretName(in.Gateway.Name)},
		}},
	}
}

func newRoleBinding(in model.Inputs) roleBinding {
	return roleBinding{
		typeMeta: typeMeta{"rbac.authorization.k8s.io/v1", "RoleBinding"},
		Metadata: meta(in, in.Gateway.Name, nil),
		Subjects: []subject{{"ServiceAccount", in.Gateway.Name, in.Tailnet.OperatorNamespace}},
		RoleRef:  roleRef{"rbac.authorization.k8s.io", "Role", in.Gateway.Name},
	}
}
