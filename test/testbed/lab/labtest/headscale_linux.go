package labtest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"

	"tsunaro.io/gateway/test/testbed/lab"
)

// REST is Headscale's API with a key of its own. It is not the product's client,
// so that a test sees what that client did.
type REST struct {
	client *http.Client
	key    string
}

// Node is what Headscale tells of a node.
type Node struct {
	ID              string   `json:"id"`
	NodeKey         string   `json:"nodeKey"`
	Name            string   `json:"name"`      // that it asked for
	GivenName       string   `json:"givenName"` // that it has: with a suffix, where another has that one
	Addresses       []string `json:"ipAddresses"`
	Tags            []string `json:"tags"`
	Online          bool     `json:"online"`
	AvailableRoutes []string `json:"availableRoutes"`
	ApprovedRoutes  []string `json:"approvedRoutes"`
	SubnetRoutes    []string `json:"subnetRoutes"` // those that it serves
}

// Headscale is the lab's, with a fresh API key.
func (w *World) Headscale() *REST {
	w.Helper()
	key, err := w.Lab.Tailnet.CreateAPIKey(w.Context(), "24h")
	if err != nil {
		w.Fatal(err)
	}
	return &REST{w.Lab.HeadscaleClient(), key}
}

// Call sends in, unless it is nil, and decodes the answer into out, unless that is
// nil.
func (h *REST) Call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	request, err := http.NewRequestWithContext(ctx, method, lab.HeadscaleURL+path, body)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+h.key)
	response, err := h.client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %s", method, path, response.Status, b)
	}
	if err != nil || out == nil {
		return err
	}
	return json.Unmarshal(b, out)
}

// Nodes are all nodes.
func (h *REST) Nodes(ctx context.Context) ([]Node, error) {
	var list struct{ Nodes []Node }
	err := h.Call(ctx, http.MethodGet, "/api/v1/node", nil, &list)
	return list.Nodes, err
}

// Node is the only node of a name.
func (h *REST) Node(ctx context.Context, name string) (Node, error) {
	nodes, err := h.Nodes(ctx)
	if err != nil {
		return Node{}, err
	}
	nodes = slices.DeleteFunc(nodes, func(n Node) bool { return n.GivenName != name })
	if len(nodes) != 1 {
		return Node{}, fmt.Errorf("%d nodes with the name %s", len(nodes), name)
	}
	return nodes[0], nil
}

// Approve makes routes the approved ones of a node.
func (h *REST) Approve(ctx context.Context, id string, routes ...string) error {
	return h.Call(ctx, http.MethodPost, "/api/v1/node/"+id+"/approve_routes", map[string]any{"routes": routes}, nil)
}
