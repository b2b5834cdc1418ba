package headscale

import (
	"context"
	"net/http"
	"net/netip"
	"regexp"
	"time"

	"tsunaro.io/gateway/minter/node"
)

const nodesPath = "/api/v1/node"

// Nodes is the complete list of nodes. Only it tells the routes that each serves.
func (c *Client) Nodes(ctx context.Context) ([]node.Node, error) {
	return ask(ctx, c, query{op: ListNodes, method: http.MethodGet, path: nodesPath}, c.parseNodes)
}

// Node is one node, without the routes that it serves. A NotFound does not say
// that there is no such node: Gone does.
func (c *Client) Node(ctx context.Context, id node.ID) (node.Node, error) {
	q := query{op: GetNode, method: http.MethodGet, path: nodesPath + "/" + string(id)}
	if err := canonical(q.op, id); err != nil {
		return node.Node{}, err
	}
	return ask(ctx, c, q, c.parseNode(id))
}

// Gone reports whether there is no node with the id. It takes two witnesses: the
// node itself is not found, and the list, which is complete, lacks it. Anything
// else is not gone, or an Error.
func (c *Client) Gone(ctx context.Context, id node.ID) (bool, error) {
	if _, err := c.Node(ctx, id); ClassOf(err) != NotFound {
		return false, err
	}
	nodes, err := c.Nodes(ctx)
	if err != nil {
		return false, err
	}
	for _, n := range nodes {
		if n.ID == id {
			return false, nil
		}
	}
	return true, nil
}

// DeleteNode deletes a node. NotFound is as Node says.
func (c *Client) DeleteNode(ctx context.Context, id node.ID) error {
	if err := canonical(DeleteNode, id); err != nil {
		return err
	}
	_, err := ask(ctx, c, query{op: DeleteNode, method: http.MethodDelete, path: nodesPath + "/" + string(id)}, done)
	return err
}

// ApproveRoutes makes the prefixes the node's whole set of approved routes,
// advertised or not, and returns the node with the routes that it now serves.
func (c *Client) ApproveRoutes(ctx context.Context, id node.ID, prefixes []netip.Prefix) (node.Node, error) {
	if err := canonical(ApproveRoutes, id); err != nil {
		return node.Node{}, err
	}
	body := struct {
		Routes []netip.Prefix `json:"routes"`
	}{append([]netip.Prefix{}, prefixes...)}
	q := query{op: ApproveRoutes, method: http.MethodPost, path: nodesPath + "/" + string(id) + "/approve_routes", body: body}
	return ask(ctx, c, q, c.parseNode(id))
}

// canonical refuses, as Headscale would, what is not an id, before it is part of
// a path.
func canonical(op Op, id node.ID) error {
	if _, ok := node.ParseID(string(id)); !ok {
		return &Error{Op: op, Class: Refused}
	}
	return nil
}

// wireNode is the part of a node that the minter reads.
type wireNode struct {
	ID         string       `json:"id"`
	MachineKey string       `json:"machineKey"`
	NodeKey    string       `json:"nodeKey"`
	Addresses  []netip.Addr `json:"ipAddresses"`
	Name       *string      `json:"name"`
	GivenName  *string      `json:"givenName"`
	Expiry     *time.Time   `json:"expiry"`
	Online     bool         `json:"online"`
	Tags       []string     `json:"tags"`
	PreAuthKey *struct {
		ID string `json:"id"`
	} `json:"preAuthKey"`
	ApprovedRoutes  []netip.Prefix `json:"approvedRoutes"`
	AvailableRoutes []netip.Prefix `json:"availableRoutes"`
	SubnetRoutes    []netip.Prefix `json:"subnetRoutes"`
}

var (
	machineKey = regexp.MustCompile(`^mkey:[0-9a-f]{64}$`)
	nodeKey    = regexp.MustCompile(`^nodekey:[0-9a-f]{64}$`)
)

// value is the node that w says. Year 0001 is no expiry, like none.
func (w wireNode) value(now time.Time) (n node.Node, ok bool) {
	id, ok := node.ParseID(w.ID)
	if !ok || !machineKey.MatchString(w.MachineKey) || !nodeKey.MatchString(w.NodeKey) || w.Name == nil || w.GivenName == nil {
		return n, false
	}
	n = node.Node{
		ID: id, MachineKey: w.MachineKey, NodeKey: w.NodeKey, Name: *w.Name, GivenName: *w.GivenName,
		Tags: w.Tags, Addresses: w.Addresses, Online: w.Online,
		Expired:    w.Expiry != nil && !w.Expiry.IsZero() && !now.Before(*w.Expiry),
		Advertised: w.AvailableRoutes, Approved: w.ApprovedRoutes, Served: w.SubnetRoutes,
	}
	if w.PreAuthKey != nil {
		if n.KeyID, ok = node.ParseID(w.PreAuthKey.ID); !ok {
			return n, false
		}
	}
	for _, a := range n.Addresses {
		ok = ok && a.IsValid() && a.Zone() == ""
	}
	for _, routes := range [][]netip.Prefix{n.Advertised, n.Approved, n.Served} {
		for _, p := range routes {
			ok = ok && p.IsValid()
		}
	}
	return n, ok
}

// parseNode parses the answer about the node that was asked for.
func (c *Client) parseNode(id node.ID) func([]byte) (node.Node, bool) {
	return func(body []byte) (node.Node, bool) {
		var a struct {
			Node *wireNode `json:"node"`
		}
		if !decode(body, &a) || a.Node == nil {
			return node.Node{}, false
		}
		n, ok := a.Node.value(c.now())
		return n, ok && n.ID == id
	}
}

// parseNodes parses the list. No id is there twice.
func (c *Client) parseNodes(body []byte) ([]node.Node, bool) {
	elements, ok := list(body, "nodes")
	var wire []wireNode
	if !ok || !decode(elements, &wire) || wire == nil {
		return nil, false
	}
	nodes, seen, now := make([]node.Node, len(wire)), map[node.ID]bool{}, c.now()
	for i, w := range wire {
		if nodes[i], ok = w.value(now); !ok || seen[nodes[i].ID] {
			return nil, false
		}
		seen[nodes[i].ID] = true
	}
	return nodes, true
}
