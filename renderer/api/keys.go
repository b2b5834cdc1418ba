package api

import "strings"

// Labels and annotations of this product.
const (
	LabelGateway    = "tsunaro.io/gateway"     // the gateway's name; policies select by it
	LabelGatewayUID = "tsunaro.io/gateway-uid" // UID of the TailnetGateway
	LabelStateUID   = "tsunaro.io/state-uid"   // UID of the state Secret
	LabelTailnet    = "tsunaro.io/tailnet"     // on the hosts ConfigMap and the working key's Secret: the Tailnet that owns it (DL-08)

	AnnotationRenderFormat  = "tsunaro.io/render-format"   // RN-11
	AnnotationPoolLabelKeys = "tsunaro.io/pool-label-keys" // RN-04: the pool label keys that are ours
	AnnotationDNSSerial     = "tsunaro.io/dns-serial"      // DN-10
	AnnotationDNSHash       = "tsunaro.io/dns-content-sha256"
	AnnotationKeyID         = "tsunaro.io/key-id"        // on a Secret with a key: Headscale's ID of the key (MT-02)
	AnnotationKeyExpires    = "tsunaro.io/key-expires"   // on a Secret with a key: the key's absolute expiry
	AnnotationKeysReplaced  = "tsunaro.io/keys-replaced" // on the working key's Secret: prefixes of the keys before it, which are to be expired (MT-06)

	// AnnotationRequestedAt is on a custom resource, with any value: a change of it
	// wakes the minter, as every change does.
	AnnotationRequestedAt = "tsunaro.io/requested-at"

	// KeyPrefix is the prefix of every key above. No user may set such a key
	// through poolLabels.
	KeyPrefix = "tsunaro.io/"
)

// FinalizerTeardown keeps a TailnetGateway until its consented teardown is done
// (TD-01), and as long its Tailnet (TD-07).
const FinalizerTeardown = "tsunaro.io/gateway-teardown"

// Annotations that tell the GitOps engines to retain what they applied (RN-09).
const (
	AnnotationFluxPrune      = "kustomize.toolkit.fluxcd.io/prune"
	AnnotationFluxForce      = "kustomize.toolkit.fluxcd.io/force"
	AnnotationFluxSSA        = "kustomize.toolkit.fluxcd.io/ssa"
	AnnotationArgoSync       = "argocd.argoproj.io/sync-options"
	AnnotationArgoCompare    = "argocd.argoproj.io/compare-options"
	AnnotationArgoSkipHealth = "argocd.argoproj.io/ignore-healthcheck"
)

// Data keys of the CoreDNS ConfigMap.
const (
	DataCorefile = "Corefile"
	DataZone     = "zone.db"
	DataHosts    = "hosts" // only with extra zones (DN-09)
)

// OwnedKey reports whether a label or annotation key lies in a domain of this
// product or of a GitOps engine. Such keys decide what is ours, pruned, forced
// or tracked, so nobody else may set them on the nine (RN-04, RN-09, B15).
func OwnedKey(key string) bool {
	domain, _, ok := strings.Cut(key, "/")
	if !ok {
		return false
	}
	for _, d := range []string{"tsunaro.io", "argocd.argoproj.io", "fluxcd.io"} {
		if head, ok := strings.CutSuffix(domain, d); ok && (head == "" || strings.HasSuffix(head, ".")) {
			return true
		}
	}
	return false
}
