package headscaledouble

import (
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"time"

	"tsunaro.io/gateway/minter/node"
)

// AddNode registers a machine as it is given. An empty ID is the next one, empty
// public keys are made from the ID, and an empty GivenName is the Name.
func (s *Server) AddNode(n node.Node) node.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.add(n)
}

func (s *Server) add(n node.Node) node.ID {
	if n.ID == "" {
		s.lastNode++
		n.ID = node.ID(strconv.FormatUint(s.lastNode, 10))
	}
	if n.MachineKey == "" {
		n.MachineKey, n.NodeKey = "mkey:"+digest("machine"+string(n.ID)), "nodekey:"+digest("node"+string(n.ID))
	}
	if n.GivenName == "" {
		n.GivenName = n.Name
	}
	s.nodes[n.ID] = &n
	return n.ID
}

// ChangeNode changes a node that is there, and reports whether it is.
func (s *Server) ChangeNode(id node.ID, change func(*node.Node)) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, ok := s.nodes[id]
	if ok {
		change(n)
	}
	return ok
}

// RemoveNode deletes a node behind everybody's back.
func (s *Server) RemoveNode(id node.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.nodes, id)
}

// wireNode is a node in answers.
type wireNode struct {
	ID              node.ID        `json:"id"`
	MachineKey      string         `json:"machineKey"`
	NodeKey         string         `json:"nodeKey"`
	DiscoKey        string         `json:"discoKey"`
	Addresses       []netip.Addr   `json:"ipAddresses"`
	Name            string         `json:"name"`
	User            *wireUser      `json:"user"`
	LastSeen        *string        `json:"lastSeen"`
	Expiry          *string        `json:"expiry"`
	PreAuthKey      *wireKey       `json:"preAuthKey"`
	CreatedAt       *string        `json:"createdAt"`
	RegisterMethod  string         `json:"registerMethod"`
	GivenName       string         `json:"givenName"`
	Online          bool           `json:"online"`
	ApprovedRoutes  []netip.Prefix `json:"approvedRoutes"`
	AvailableRoutes []netip.Prefix `json:"availableRoutes"`
	SubnetRoutes    []netip.Prefix `json:"subnetRoutes"`
	Tags            []string       `json:"tags"`
}

type wireUser struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// wire is a node as a single answer shows it: of a tagged one no user, of none
// the routes that it serves.
func (s *Server) wire(n *node.Node) wireNode {
	w := wireNode{
		ID: n.ID, MachineKey: n.MachineKey, NodeKey: n.NodeKey, DiscoKey: "discokey:" + digest(string(n.ID)),
		Addresses: some(n.Addresses), Name: n.Name, GivenName: n.GivenName, Online: n.Online, Tags: some(n.Tags),
		LastSeen: stamp(s.options.Now()), CreatedAt: stamp(s.options.Now()), RegisterMethod: "REGISTER_METHOD_CLI",
		ApprovedRoutes: some(n.Approved), AvailableRoutes: some(n.Advertised), SubnetRoutes: []netip.Prefix{},
	}
	if len(n.Tags) == 0 {
		w.User = &wireUser{"1", "lab"}
	}
	if n.Expired {
		w.Expiry = stamp(s.options.Now().Add(-time.Second))
	}
	for _, k := range s.keys {
		if k.ID == n.KeyID {
			w.PreAuthKey, w.RegisterMethod = new(wireKey), "REGISTER_METHOD_AUTH_KEY"
			*w.PreAuthKey = k.masked()
		}
	}
	return w
}

// served is what an online node serves: what it advertises and is approved.
func served(n *node.Node) []netip.Prefix {
	routes := []netip.Prefix{}
	for _, p := range n.Advertised {
		if n.Online && slices.Contains(n.Approved, p) {
			routes = append(routes, p)
		}
	}
	return routes
}

func (s *Server) listNodes(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []wireNode{}
	for _, n := range s.nodes {
		wire := s.wire(n)
		wire.SubnetRoutes = served(n)
		if wire.User == nil {
			wire.User = &wireUser{"2147455555", "tagged-devices"}
		}
		all = append(all, wire)
	}
	slices.SortFunc(all, func(a, b wireNode) int { return a.ID.Compare(b.ID) })
	reply(w, http.StatusOK, map[string]any{"nodes": all})
}

// find returns the node of the path, or nil when it has answered.
func (s *Server) find(w http.ResponseWriter, r *http.Request, missing code, message string) *node.Node {
	id, err := strconv.ParseUint(r.PathValue("id"), 10, 64)
	if err != nil {
		s.fail(w, invalid, "type mismatch, parameter: node_id")
		return nil
	}
	n, ok := s.nodes[node.ID(strconv.FormatUint(id, 10))]
	if !ok {
		s.fail(w, missing, message)
	}
	return n
}

func (s *Server) getNode(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.find(w, r, notFound, "node not found"); n != nil {
		reply(w, http.StatusOK, map[string]any{"node": s.wire(n)})
	}
}

func (s *Server) deleteNode(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.find(w, r, notFound, "node not found"); n != nil {
		delete(s.nodes, n.ID)
		reply(w, http.StatusOK, struct{}{})
	}
}

func (s *Server) approveRoutes(w http.ResponseWriter, r *http.Request) {
	var q struct{ Routes []string }
	if !s.body(w, r, &q) {
		return
	}
	routes := []netip.Prefix{}
	for _, text := range q.Routes {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			s.fail(w, unknown, "parsing route")
			return
		}
		routes = append(routes, p)
		if all4, all6 := netip.PrefixFrom(netip.IPv4Unspecified(), 0), netip.PrefixFrom(netip.IPv6Unspecified(), 0); p == all4 || p == all6 {
			routes = append(routes, all4, all6) // an exit node is one for both families
		}
	}
	slices.SortFunc(routes, netip.Prefix.Compare)
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := s.find(w, r, invalid, "node no longer exists"); n != nil {
		n.Approved = slices.Compact(routes)
		wire := s.wire(n)
		wire.SubnetRoutes = served(n)
		reply(w, http.StatusOK, map[string]any{"node": wire})
	}
}
