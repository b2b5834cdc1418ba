package objects

import (
	"strings"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
)

// dnsPorts are the same for all three Services. One name may not serve both
// protocols: merging by port alone would melt them into one (B13).
func dnsPorts() []servicePort {
	return []servicePort{
		{Name: portDNSUDP, Protocol: "UDP", Port: 53, TargetPort: portDNSUDP},
		{Name: portDNSTCP, Protocol: "TCP", Port: 53, TargetPort: portDNSTCP},
	}
}

func newService(in model.Inputs, name string, annotations map[string]string) service {
	return service{
		typeMeta: typeMeta{"v1", "Service"},
		Metadata: meta(in, name, annotations),
		Spec: serviceSpec{
			Ports:                 dnsPorts(),
			Selector:              uids(in),
			Type:                  "ClusterIP",
			SessionAffinity:       "None",
			IPFamilies:            []string{"IPv4"},
			IPFamilyPolicy:        "SingleStack",
			InternalTrafficPolicy: "Cluster",
		},
	}
}

// newHeadless is the StatefulSet's governing Service.
func newHeadless(in model.Inputs) service {
	s := newService(in, in.Gateway.Name, nil)
	s.Spec.ClusterIP, s.Spec.ClusterIPs = "None", []string{"None"}
	return s
}

// newDNSService has the address that cluster DNS forwards to (RN-03).
func newDNSService(in model.Inputs) service {
	s := newService(in, in.Gateway.DNS.ServiceName, nil)
	ip := in.Gateway.DNS.ClusterIP.String()
	s.Spec.ClusterIP, s.Spec.ClusterIPs = ip, []string{ip}
	return s
}

// newLoadBalancer is how the LAN reaches the gateway. It carries the pool labels
// and remembers which keys are ours to remove (RN-04); Argo CD must not wait for
// an address that no one here allocates.
func newLoadBalancer(in model.Inputs) service {
	annotations := map[string]string{api.AnnotationArgoSkipHealth: "true"}
	keys := make([]string, len(in.Gateway.PoolLabels))
	for i, p := range in.Gateway.PoolLabels {
		keys[i] = p.Key
	}
	if len(keys) > 0 {
		annotations[api.AnnotationPoolLabelKeys] = strings.Join(keys, ",")
	}
	s := newService(in, api.LBServiceName(in.Gateway.Name), annotations)
	for _, p := range in.Gateway.PoolLabels {
		s.Metadata.Labels[p.Key] = p.Value
	}
	s.Spec.Type = "LoadBalancer"
	s.Spec.LoadBalancerIP = in.Gateway.LoadBalancer.String()
	s.Spec.ExternalTrafficPolicy = "Cluster"
	s.Spec.AllocateLoadBalancerNodePorts = new(bool)
	return s
}
