package teardown_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tsunaro.io/gateway/minter/node"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/minter/teardown"
)

// answers are what Headscale, or a proxy before it, may answer instead of doing
// what it is asked: nothing at all, 401, a page of somebody else's, 404 for a path
// that is not routed (B25).
var answers = map[string]observe.Class{
	"down": observe.Unreachable, "401": observe.Denied, "500, or a proxy's": observe.Unreadable,
}

// Whatever Headscale answers but yes and its own 404, the teardown is blocked at the
// step that asks, and goes on when it answers again.
//
// REQ: TD-02, TD-03, TD-06 (B21, B25, B42)
func TestHeadscaleFails(t *testing.T) {
	for why, class := range answers {
		for _, c := range []struct {
			op   string
			want string
			gone int // of the steps
		}{
			{"list", "DeleteNode Headscale/home", 2},
			{"delete", "DeleteNode HeadscaleNode/7", 2},
			{"get", "DeleteNode Headscale/home", 3}, // is it really gone?
			{"expire", "ExpireKey HeadscaleKey/5", 3},
		} {
			for name, w := range worlds {
				if name == "bare" {
					continue
				}
				tried := w.new(t)
				tried.headscale[c.op] = class
				v := tried.run(nil)
				if outcome(v) != "TeardownBlocked "+c.want || len(tried.gone) != c.gone {
					t.Errorf("%s, %s of %s: %s, gone %v", why, c.op, name, outcome(v), tried.gone)
				}
				delete(tried.headscale, c.op)
				if tried.run(nil); len(tried.clean()) > 0 {
					t.Errorf("%s, %s of %s is over: left %v", why, c.op, name, tried.clean())
				}
			}
		}
	}
}

// TestHeadscaleFailsLater lets Headscale go away when node and key are gone. A
// process that remembers nothing cannot know that, and says so.
//
// REQ: TD-03, TD-06
func TestHeadscaleFailsLater(t *testing.T) {
	for n := 4; n < len(wholeSteps)-1; n++ {
		c := completed(t)
		c.until(n)
		c.headscale["list"] = observe.Unreachable
		if v := c.run(nil); outcome(v) != "TeardownBlocked DeleteNode Headscale/home" || len(c.gone) != n {
			t.Errorf("after %s: %s", wholeSteps[n-1], outcome(v))
		}
	}
}

// until lets the process work up to its n-th step.
func (c *cluster) until(n int) {
	c.Helper()
	for len(c.steps) < n {
		if v := c.step(nil); v.Step.Do == "" && !c.tick() {
			c.Fatalf("%d steps are never done: %v", n, c.steps)
		}
	}
}

// unread is a state that proves nothing any more.
func unread(c *cluster) { c.objects[stateName].content = proof.Empty }

// change changes the gateway's node.
func change(of func(*node.Node)) func(*cluster) {
	return func(c *cluster) { of(&c.nodes[1]) }
}

func both(changes ...func(*cluster)) func(*cluster) {
	return func(c *cluster) {
		for _, of := range changes {
			of(c)
		}
	}
}

// Which node goes, by its state or else by the status.
//
// REQ: TD-02, MT-05, MT-08 (B23, B25)
func TestNode(t *testing.T) {
	twin := func(id node.ID, edit func(*node.Node)) func(*cluster) {
		return func(c *cluster) {
			n := ownNode()
			n.ID, n.KeyID = id, "1"
			edit(&n)
			c.nodes = append(c.nodes, n)
		}
	}
	strange := func(n *node.Node) { n.MachineKey, n.NodeKey = otherNode("9").MachineKey, otherNode("9").NodeKey }
	without := func(c *cluster) { c.nodes = c.nodes[:1] }
	unknownID := func(c *cluster) { c.gateway.Status.NodeID = "" }
	const goes, stays = "step DeleteNode HeadscaleNode/7", "step ExpireKey HeadscaleKey/5"
	const blocked = "TeardownBlocked DeleteNode "
	for _, row := range []struct {
		why    string
		change func(*cluster)
		want   string
	}{
		{"offline", func(*cluster) {}, goes},
		{"expired", change(func(n *node.Node) { n.Expired = true }), goes},
		{"online again", change(func(n *node.Node) { n.Online = true }), goes},
		{"made with a key that Headscale has forgotten", change(func(n *node.Node) { n.KeyID = "" }), goes},
		{"with an ID that the status does not know", both(unknownID, change(func(n *node.Node) { n.ID = "8" })), "step DeleteNode HeadscaleNode/8"},
		{"renamed", change(func(n *node.Node) { n.GivenName = "lab-gw-1" }), blocked + "HeadscaleNode/7"},
		{"with other tags", change(func(n *node.Node) { n.Tags = nil }), blocked + "HeadscaleNode/7"},
		{"without an address", change(func(n *node.Node) { n.Addresses = nil }), blocked + "HeadscaleNode/7"},
		{"with half of its keys", change(func(n *node.Node) { n.NodeKey, n.KeyID = otherNode("8").NodeKey, "" }), blocked + "HeadscaleNode/7"},
		{"with the other half", change(func(n *node.Node) { n.MachineKey, n.KeyID = otherNode("8").MachineKey, "" }), blocked + "HeadscaleNode/7"},
		{"twice", twin("8", func(*node.Node) {}), blocked + "HeadscaleNode/7"},
		{"half of it twice", twin("8", func(n *node.Node) { n.NodeKey = otherNode("9").NodeKey }), blocked + "HeadscaleNode/7"},
		{"a stale twin stays", twin("3", strange), goes},
		{"gone", without, stays},
		{"gone, and a stale twin stays", both(without, twin("3", strange)), stays},
		{"gone, and its ID is another's by now", both(without, twin("7", strange)), stays},
		{"gone, and another was made with its key", both(without, twin("8", strange), change(func(n *node.Node) { n.KeyID = "5" })), blocked + "HeadscaleNode/8"},
		{"gone from the list alone", both(without, func(c *cluster) { c.headscale["get"] = observe.Unreadable }), blocked + "Headscale/home"},

		{"remembered", unread, goes},
		{"remembered, and the state is gone", func(c *cluster) { delete(c.objects, stateName) }, goes},
		{"remembered, and the state is another", func(c *cluster) { c.objects[stateName].UID = uid(90) }, goes},
		{"remembered and renamed", both(unread, change(func(n *node.Node) { n.Name = "other" })), blocked + "HeadscaleNode/7"},
		{"remembered, with other tags", both(unread, change(func(n *node.Node) { n.Tags = []string{"tag:gateway", "tag:more"} })), blocked + "HeadscaleNode/7"},
		{"remembered, its ID is another's by now", both(unread, change(func(n *node.Node) { *n = otherNode("7") })), blocked + "HeadscaleNode/7"},
		{"remembered, gone", both(unread, without), stays},
		{"remembered, gone from the list alone", both(unread, without, func(c *cluster) { c.headscale["get"] = observe.Unreachable }), blocked + "Headscale/home"},
		{"remembered by nothing", both(unread, unknownID, without), stays},
		{"remembered by its key alone", both(unread, unknownID), blocked + "HeadscaleNode/7"},
		{"remembered by what is no ID", both(unread, without, func(c *cluster) { c.gateway.Status.NodeID = "../7" }), stays},
		{"a namesake is not remembered", both(unread, unknownID, change(func(n *node.Node) { n.KeyID = "1" })), stays},
	} {
		c := completed(t)
		row.change(c)
		c.until(2)
		v := c.rest()
		got := outcome(v)
		if v.Step.Do != "" {
			got = "step " + string(v.Step.Do) + " " + v.Step.Object.String()
		}
		if got != row.want || v.Node != "" && v.Step.Object.Name != string(v.Node) {
			t.Errorf("%s: %s, want %s", row.why, got, row.want)
		}
	}
}

// rest waits for everybody else, and is what is due then.
func (c *cluster) rest() teardown.Verdict {
	for {
		if v := teardown.Decide(c.read()); v.Step.Do != "" || !c.tick() {
			return v
		}
	}
}

// A gateway whose identity was changed since is known by what the receipt has
// hashed: that is how one gets rid of it. An ID at another Headscale is another's.
//
// REQ: TD-02, UP-01
func TestIdentityChanged(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*cluster)
		want   string
	}{
		{"the hostname", func(c *cluster) { c.gateway.Spec.Hostname = "other" }, ""},
		{"the tags", func(c *cluster) { c.gateway.Spec.Tags = append(c.gateway.Spec.Tags, "tag:b") }, ""},
		{"the tags, and Headscale has forgotten the key", both(func(c *cluster) { c.gateway.Spec.Tags = nil }, change(func(n *node.Node) { n.KeyID = "" })),
			"TeardownBlocked DeleteNode HeadscaleNode/7"},
		{"the hostname, and the node's name", both(func(c *cluster) { c.gateway.Spec.Hostname = "other" }, change(func(n *node.Node) { n.Name, n.GivenName = "third", "third" })),
			"TeardownBlocked DeleteNode HeadscaleNode/7"},
		{"the DNS Service's name", func(c *cluster) { c.gateway.Spec.DNS.ServiceName = "other" }, ""},
		{"the zone", func(c *cluster) { c.gateway.Spec.DNS.Zone = "other.example" }, ""},
		{"the URL of the API", func(c *cluster) { c.tailnet.Spec.APIURL = "https://inside.example" }, ""},
		{"the control URL", func(c *cluster) { c.tailnet.Spec.ControlURL = "https://other.example" }, "TeardownBlocked DeleteNode Tailnet/home"},
		{"the Tailnet, of the same URL", func(c *cluster) { c.tailnet.UID = "other" }, ""},
	} {
		for _, of := range []func(*cluster){func(*cluster) {}, unread} {
			c := completed(t)
			row.change(c)
			of(c)
			if v := c.run(nil); outcome(v) != row.want {
				t.Errorf("%s: %s, want %s", row.why, outcome(v), row.want)
			}
			if left := c.clean(); row.want == "" && len(left) > 0 {
				t.Errorf("%s: left %v", row.why, left)
			}
		}
	}
	c := attempted(t)
	c.tailnet.UID = "other"
	if v := c.run(nil); outcome(v) != "TeardownBlocked DeleteNode Tailnet/home" {
		t.Errorf("another Tailnet, without a receipt: %s", outcome(v))
	}
}

// The key goes by its recorded ID, unless Headscale's says that it is spent, or
// somebody else's.
//
// REQ: TD-02, TD-04, MT-08 (B21)
func TestKey(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*cluster)
		want   string
	}{
		{"as recorded", func(*cluster) {}, "step ExpireKey HeadscaleKey/5"},
		{"a moment before it expires", func(c *cluster) { c.now = expires.Add(-1) }, "step ExpireKey HeadscaleKey/5"},
		{"when it has expired", func(c *cluster) { c.now = expires }, "step DeleteChild "},
		{"ended early", func(c *cluster) { c.expires = start.Add(1) }, "step DeleteChild "},
		{"not there any more", func(c *cluster) { c.expires = time.Time{} }, "step DeleteChild "},
		{"ended by this process", func(c *cluster) { c.attempt = observe.Attempt{GatewayUID: uid(1), Spent: "5"} }, "step DeleteChild "},
		{"ended for another gateway", func(c *cluster) { c.attempt = observe.Attempt{GatewayUID: uid(9), Spent: "5"} }, "step ExpireKey HeadscaleKey/5"},
		{"another of that ID", func(c *cluster) { c.expires = expires.Add(1) }, "TeardownBlocked ExpireKey HeadscaleKey/5"},
	} {
		for name, new := range map[string]func(testing.TB) *cluster{"complete": completed, "attempted": attempted} {
			c := new(t)
			c.until(3)
			row.change(c)
			v := c.rest()
			got := outcome(v)
			if v.Step.Do != "" {
				got = "step " + string(v.Step.Do) + " " + v.Step.Object.String()
			}
			if !strings.HasPrefix(got, row.want) {
				t.Errorf("%s, %s: %s, want %s", name, row.why, got, row.want)
			}
		}
	}
}

// What only an attempt's auth receipt could tell is not told by anything else.
//
// REQ: TD-04, MT-03, MT-04
func TestAttemptsKey(t *testing.T) {
	for _, row := range []struct {
		why    string
		change func(*object)
		want   string
	}{
		{"unreadable", func(o *object) { o.err = receipt.ErrAuth }, "TeardownBlocked DeleteNode " + recordName},
		{"of another gateway", func(o *object) { o.auth.Gateway.UID = uid(9) }, "TeardownBlocked DeleteNode " + recordName},
		{"without our label", func(o *object) { o.Labels = nil }, ""},
	} {
		c := attempted(t)
		row.change(c.objects[recordName])
		v := c.run(nil)
		if outcome(v) != row.want {
			t.Errorf("%s: %s, want %s", row.why, outcome(v), row.want)
		}
		if row.want == "" && !slices.Equal(c.clean(), []string{"key 5"}) {
			t.Errorf("%s: left %v", row.why, c.clean())
		}
	}
}
