package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"tsunaro.io/gateway/renderer/api"
)

// GroupVersion is tsunaro.io/v1alpha1.
var GroupVersion = schema.GroupVersion{Group: api.Group, Version: api.Version}

// AddToScheme registers the three kinds and their lists.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&Tailnet{}, &TailnetList{},
		&TailnetGateway{}, &TailnetGatewayList{},
		&TailnetEgress{}, &TailnetEgressList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
}
