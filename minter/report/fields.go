package report

import (
	"crypto/sha256"
	"encoding/hex"
	"math"
	"net/netip"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// fields updates what this pass has seen, and keeps the last that is known of
// everything else: a teardown may need the node's ID when nothing else tells it
// (TD-02).
func (s *subject) fields(status *v1alpha1.TailnetGatewayStatus) {
	e := s.v.Evidence
	if e.Judged && e.Problem == proof.None {
		address, _ := e.Node.IPv4()
		status.NodeID, status.IPv4 = string(e.Node.ID), address.String()
	}
	if s.v.Reason == api.ReasonFreshRuntimeReady {
		advertised := e.Pod.Routes
		status.AdvertisedRoutes = texts(advertised)
		status.ApprovedRoutes = texts(without(advertised, without(advertised, e.Node.Approved)))
		status.StaleRoutes = texts(s.stale())
	}
	if m, ok := s.Nine[balancer].Get(); ok && e.Completed {
		status.ServiceIP = ""
		if len(m.Addresses) > 0 {
			status.ServiceIP = m.Addresses[0]
		}
	}
	s.zone(status)
	status.StaleNodeIDs = s.staleNodes(status.StaleNodeIDs)
	status.RoutePlan = s.plan(status.RoutePlan)
	status.Drift = s.drift(status.Drift)
}

func (s *subject) zone(status *v1alpha1.TailnetGatewayStatus) {
	if z := s.v.Evidence.Zone; z != nil && z.Serial != 0 {
		status.DNS = &v1alpha1.DNSStatus{Serial: int64(z.Serial), Names: int32(min(z.Names, math.MaxInt32))}
	}
}

// maxStaleNodes bounds status.staleNodeIds.
const maxStaleNodes = 256

// staleNodes are the nodes that have the gateway's name and are not its own. As
// long as no state tells the own one apart, the list stays as it was.
func (s *subject) staleNodes(was []v1alpha1.NodeID) []v1alpha1.NodeID {
	state, _ := s.State.Get()
	if !s.v.Evidence.Judged || !state.Readable {
		return was
	}
	nodes, _ := s.Nodes.Get()
	hostname := string(s.g.Spec.Hostname)
	if hostname == "" {
		hostname = s.g.Name
	}
	var ids []v1alpha1.NodeID
	for _, id := range proof.Stale(nodes, hostname, state.Identity.Keys) {
		ids = append(ids, v1alpha1.NodeID(id))
	}
	return ids[:min(len(ids), maxStaleNodes)]
}

// plan identifies the routes that the spec asks for.
func (s *subject) plan(was *v1alpha1.RoutePlanStatus) *v1alpha1.RoutePlanStatus {
	routes, ok := s.planned()
	if !ok {
		return was
	}
	text := make([]string, len(routes))
	for i, r := range routes {
		text[i] = r.String()
	}
	sum := sha256.Sum256([]byte(strings.Join(text, ", ")))
	hash := hex.EncodeToString(sum[:])
	if was != nil && was.Hash == hash {
		return was
	}
	return &v1alpha1.RoutePlanStatus{Hash: hash, At: metav1.NewTime(s.Now.UTC().Truncate(time.Second))}
}

// maxListed bounds each list of routes in the status.
const maxListed = 16384

func texts(routes []netip.Prefix) []v1alpha1.Route {
	sorted := slices.Clone(routes)
	slices.SortFunc(sorted, netip.Prefix.Compare)
	sorted = sorted[:min(len(sorted), maxListed)]
	var out []v1alpha1.Route
	for _, r := range sorted {
		out = append(out, v1alpha1.Route(r.String()))
	}
	return out
}
