package verdict

import (
	"net/netip"
	"slices"
	"strings"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/proof"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/renderer/api"
)

// survey looks for what belongs to the receipt's gateway, whatever else is wrong
// with it: its Pod, and the node that has the keys of its state.
func (p *pass) survey() {
	fresh, ok := p.Fresh.Get()
	if !ok {
		return
	}
	if _, ok = p.receiptHolds(fresh); !ok {
		return
	}
	p.seen.Completed = true
	if p.keySpent(fresh.Receipt) {
		p.seen.Spent = fresh.Receipt.KeyID
	}
	pods, _ := p.Pods.Get()
	for i := range pods {
		if p.owns(&pods[i]) {
			p.seen.Pod = &pods[i]
		}
	}
	if state, ok := p.State.Get(); ok && state.UID == fresh.Receipt.State.UID && p.Nodes.Known() {
		p.identify(fresh.Receipt, state)
	}
}

// runtime says whether the node runs, and is the one that the state proves.
func (p *pass) runtime(c receipt.Completion) Verdict {
	switch {
	case p.Pods.Unknown():
		return p.unavailable(p.object("Pod", p.pod()).String())
	case p.APIKey.Absent():
		return p.ready(api.ReasonAPIKeyMissing, values{"object": p.custom(api.KindTailnet, p.tailnet()).String()})
	case p.APIKey.Unknown() || p.Nodes.Unknown():
		return p.unavailable(p.headscale())
	}
	if state, _ := p.State.Get(); state.Content == proof.Empty && p.seen.Spent != "" {
		return p.lost(p.auth(), hasExpired, keyExpires) // nothing can register with it any more
	}
	v, ok := p.running()
	if !ok {
		return p.spent(c, v)
	}
	if v, ok = p.identified(); !ok {
		return v
	}
	if v, ok = p.advertising(); !ok {
		return p.spent(c, v)
	}
	return p.spent(c, p.ready(api.ReasonFreshRuntimeReady, values{"pod": p.pod()}))
}

// keyExpires is the path of the expiry that GW-auth notes.
const keyExpires = "metadata.annotations[" + api.AnnotationKeyExpires + "]"

// isStarted is the path of a Tailscale container that has run.
const isStarted = "status.containerStatuses[tailscale]"

// running sees to it that the gateway's one Pod is its own and ready (UP-05).
func (p *pass) running() (v Verdict, ok bool) {
	pods, _ := p.Pods.Get()
	for i := range pods {
		if pod := &pods[i]; !pod.Deleting && !p.owns(pod) {
			return p.inTheWay(p.object("Pod", pod.Name), isUnowned, ""), false
		}
	}
	if own := p.seen.Pod; own == nil || own.Deleting || !own.Ready {
		return p.notReady(), false
	}
	return Verdict{}, true
}

// notReady is the verdict while the gateway's Pod does not run. The message says what shows why.
func (p *pass) notReady() Verdict {
	command := "kubectl describe pod " + p.pod()
	pods, _ := p.Pods.Get()
	i := slices.IndexFunc(pods, func(pod observe.Pod) bool { return pod.Name == p.pod() })
	switch {
	case i < 0:
		command = "kubectl describe statefulset " + p.g.Name
	case pods[i].Preflight == observe.Failed:
		command = "kubectl logs " + p.pod() + " --container kernel-preflight"
	}
	return p.ready(api.ReasonRuntimeNotReady, values{"pod": p.pod(), "look": command + " --namespace " + p.namespace})
}

// identify finds the node that has the keys of the state (MT-05). As long as the
// minted key may be alive the node must have registered with it; afterwards
// Headscale may have forgotten the key.
func (p *pass) identify(c receipt.Completion, state observe.State) {
	nodes, _ := p.Nodes.Get()
	p.seen.Judged = true
	if !state.Readable {
		p.seen.Problem = proof.NoNode
		return
	}
	want := proof.Want{Keys: state.Identity.Keys, Hostname: p.hostname(), Tags: p.tags(), NeedOnline: true}
	if p.seen.Spent == "" {
		want.KeyID = c.KeyID
	}
	n, problem := proof.Bind(nodes, want)
	p.seen.Problem = problem
	if problem != proof.NoNode && problem != proof.Several {
		p.seen.Node = &n
	}
}

// problems are what may be wrong with a node, for people.
var problems = map[proof.Problem]string{
	proof.OtherKey:  "it registered with another key than the gateway's",
	proof.OtherName: "its name is not the gateway's hostname, which an older node may hold",
	proof.OtherTags: "its tags are not the gateway's",
	proof.NoAddress: "it has not exactly one IPv4 address",
	proof.Expired:   "it has expired",
	proof.Offline:   "it is offline",
}

// identified sees to it that the node is the gateway's and online.
func (p *pass) identified() (v Verdict, ok bool) {
	if p.seen.Problem == proof.None {
		return Verdict{}, true
	}
	said := values{"object": p.state().String()}
	if p.seen.Node != nil {
		said["node"], said["problem"] = string(p.seen.Node.ID), problems[p.seen.Problem]
	}
	return p.ready(api.ReasonIdentityUnproven, said), false
}

// advertising sees to it that the node advertises what its Pod was started with,
// whatever the spec says by now (UP-05).
func (p *pass) advertising() (v Verdict, ok bool) {
	want := p.seen.Pod.Routes
	have := slices.SortedFunc(slices.Values(p.seen.Node.Advertised), netip.Prefix.Compare)
	if len(want) > 0 && slices.Equal(want, slices.Compact(have)) {
		return Verdict{}, true
	}
	missing := slices.DeleteFunc(slices.Clone(want), func(r netip.Prefix) bool { return slices.Contains(have, r) })
	said := values{"pod": p.pod()}
	if len(missing) > 0 {
		said["routes"] = Routes(missing)
	}
	return p.ready(api.ReasonRuntimeNotReady, said), false
}

// maxRoutes is how many routes a message names: all that people write down, and not
// all that thousands of egresses may add. A condition that is too long would not be
// stored.
const maxRoutes = 256

// Routes writes prefixes down as a message shows them.
func Routes(routes []netip.Prefix) string {
	text := make([]string, 0, len(routes))
	for _, r := range routes[:min(len(routes), maxRoutes)] {
		text = append(text, r.String())
	}
	all := strings.Join(text, ", ")
	if len(routes) > maxRoutes {
		all += " and others"
	}
	return all
}

// spent asks for the expiry of the minted key once the node that it was made for
// is proven: from then on it could only make a second one (MT-09).
func (p *pass) spent(c receipt.Completion, v Verdict) Verdict {
	if p.seen.Judged && p.seen.Problem == proof.None && p.KeyExpires.Known() && p.seen.Spent == "" {
		v.Step = Step{Do: ExpireKey, Object: p.custom(api.KindTailnet, p.tailnet()), Key: c.KeyID}
	}
	return v
}

// keySpent reports whether the minted key is known to make no more nodes.
// Headscale moves the expiry of a key that is expired early, so it is enough to
// compare with what was recorded. Attempt spares asking again, also where
// Headscale's list is late.
func (p *pass) keySpent(c receipt.Completion) bool {
	expires, ok := p.KeyExpires.Get()
	return p.Attempt.Spent == c.KeyID || p.KeyExpires.Absent() ||
		ok && (expires.Before(c.Expires) || !p.Now.Before(expires))
}
