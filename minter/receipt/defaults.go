package receipt

import (
	"cmp"

	"tsunaro.io/gateway/renderer/admit"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// The defaults are those that an API server fills in when it reads the CRs, and
// the two that follow from the gateway's name: a field that is left out and one
// that says the same are one identity.

func defaultedGateway(in *v1alpha1.TailnetGateway) *v1alpha1.TailnetGateway {
	g := in.DeepCopy()
	s := &g.Spec
	s.Suspend = cmp.Or(s.Suspend, new(true))
	s.DeletionPolicy = cmp.Or(s.DeletionPolicy, v1alpha1.DeletionRetain)
	s.RenderFormat = cmp.Or(s.RenderFormat, 1)
	s.Hostname = cmp.Or(s.Hostname, v1alpha1.ObjectName(g.Name))
	s.Routes.AdvertiseEgressTargets = cmp.Or(s.Routes.AdvertiseEgressTargets, new(true))
	s.Images.Tailscale = cmp.Or(s.Images.Tailscale, admit.DefaultTailscaleImage)
	s.Images.CoreDNS = cmp.Or(s.Images.CoreDNS, admit.DefaultCoreDNSImage)
	s.StateSecretRef = cmp.Or(s.StateSecretRef, &v1alpha1.StateRef{Name: api.StateSecretName(g.Name)})
	return g
}

func defaultedTailnet(in *v1alpha1.Tailnet) *v1alpha1.Tailnet {
	t := in.DeepCopy()
	s := &t.Spec
	s.OperatorNamespace = cmp.Or(s.OperatorNamespace, api.DefaultOperatorNamespace)
	if s.CABundleConfigMapRef != nil {
		s.CABundleConfigMapRef.Key = cmp.Or(s.CABundleConfigMapRef.Key, api.DefaultCAKey)
	}
	s.BootstrapSecretRef.Name = cmp.Or(s.BootstrapSecretRef.Name, api.DefaultBootstrapName)
	s.BootstrapSecretRef.Key = cmp.Or(s.BootstrapSecretRef.Key, api.DefaultBootstrapKey)
	s.DNS.HostsConfigMapRef.Name = cmp.Or(s.DNS.HostsConfigMapRef.Name, "tailnet-dns-hosts")
	s.DNS.HostsConfigMapRef.Key = cmp.Or(s.DNS.HostsConfigMapRef.Key, "hosts")
	s.Policy.Mode = cmp.Or(s.Policy.Mode, v1alpha1.PolicyDryRun)
	if ref := s.Policy.BaseConfigMapRef; ref != nil {
		ref.Key = cmp.Or(ref.Key, "policy.hujson")
	}
	return t
}
