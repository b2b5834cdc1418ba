package view

import (
	"fmt"
	"slices"
	"strings"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
)

// Texts of findings.
const (
	noMinter    = "No minter is running: this is how it was last seen, and nothing changes until one runs. What serves keeps serving."
	notSaidYet  = "The status is about generation %d, and the gateway is at %d."
	driftNow    = "%s differs from its render at %s, and the status does not say so."
	missingNow  = "%s is missing, and the status does not say so."
	replacedNow = "%s is not the object that was recorded, and the status does not say so."
	deletingNow = "%s is being deleted, and the status does not say so."
	wellNow     = "The nine are as rendered by now, and the status does not say so."
	zoneNow     = "%s The status does not say so."
	notRendered = "It cannot be rendered: %s"
	blind       = "%s could not be read (%s), so nothing is claimed about it."
)

// findings are what the status does not say: that nobody has looked, and what is
// otherwise by now.
func findings(g Gateway, rendered observe.Render) []string {
	out := []string{}
	say := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if g.Minter.Running == No {
		say(noMinter)
	}
	if g.Minter.Seen > 0 && g.Minter.Seen != g.Minter.Generation {
		say(notSaidYet, g.Minter.Seen, g.Minter.Generation)
	}
	for _, f := range rendered.Refused {
		if !g.says(api.ReasonSpecRefused) && !g.says(api.ReasonHostsRefused) {
			say(notRendered, f.String())
		}
	}
	if g.is(api.ConditionInSync, "True") {
		for _, r := range g.Resources {
			switch object := r.Object(); r.State {
			case Drifted, Behind:
				say(driftNow, object, r.Path)
			case Replaced:
				say(replacedNow, object)
			case Deleting:
				say(deletingNow, object)
			case Missing:
				say(missingNow, object)
			}
		}
	}
	if g.is(api.ConditionInSync, "False") && len(g.Resources) > 0 && !slices.ContainsFunc(g.Resources, func(r Resource) bool { return r.State != AsRendered }) {
		say(wellNow)
	}
	if g.zoneChanged() {
		say(zoneNow, g.DNS.Message)
	}
	for _, u := range g.Unread {
		say(blind, u.Object, strings.ToLower(u.Why))
	}
	return out
}

// zoneChanged reports whether the live zone is otherwise than the status says.
func (g Gateway) zoneChanged() bool {
	inSync := g.DNS.Reason == api.ReasonDNSInSync
	switch {
	case g.DNS.Reason == "", g.DNS.Reason == api.ReasonEvidenceUnavailable: // it was not read
		return false
	case g.is(api.ConditionDNSReady, "True"):
		return !inSync
	}
	return inSync && g.is(api.ConditionDNSReady, "False")
}

func (g Gateway) says(reason string) bool {
	return slices.ContainsFunc(g.Conditions, func(c Condition) bool { return c.Reason == reason })
}

func (g Gateway) is(conditionType, status string) bool {
	return slices.ContainsFunc(g.Conditions, func(c Condition) bool { return c.Type == conditionType && c.Status == status })
}

// next is what to do, the most pressing first.
func next(g Gateway) []Step {
	steps := []Step{}
	told := func(command string) bool {
		return slices.ContainsFunc(steps, func(s Step) bool { return slices.Contains(s.Commands, command) })
	}
	if g.Minter.Running == No {
		steps = append(steps, Step{"Find out why no minter is running.", []string{
			"kubectl get pods --namespace " + g.Namespace + " --selector app.kubernetes.io/name=" + api.MinterName,
		}})
	}
	for _, c := range g.deciding() {
		row, _ := api.FindCondition(api.KindTailnetGateway, c.Type, c.Reason)
		step := Step{row.Next, slices.DeleteFunc(append(commandsIn(c.Message), g.commandsFor(c)...), told)}
		if step.Text != "" || len(step.Commands) > 0 {
			steps = append(steps, step)
		}
	}
	if g.TailnetIs != nil && g.TailnetIs.Next != "" && g.TailnetIs.Health != string(api.Healthy) {
		steps = append(steps, Step{Text: "Of the Tailnet: " + g.TailnetIs.Next})
	}
	diff := "kubectl tsunaro diff " + g.Name
	if !told(diff) && len(g.differing()) > 0 && g.Identity.Completed != No { // before completion they are on their way
		steps = append(steps, Step{Text: "See what differs.", Commands: []string{diff}})
	}
	return steps
}

// differing are the resources that are not as rendered.
func (g Gateway) differing() []Resource {
	return slices.DeleteFunc(slices.Clone(g.Resources), func(r Resource) bool {
		return r.State == AsRendered || r.State == NotCompared || r.State == Unknown
	})
}

// deciding are the conditions that the verdict comes from, with those that a healthy
// gateway has to tell.
func (g Gateway) deciding() []Condition {
	var out []Condition
	for _, c := range g.Conditions {
		if c.Type != api.ConditionReconciling && c.Type != api.ConditionStalled && c.Message != "" && strings.Contains(g.Message, c.Message) {
			out = append(out, c)
		}
	}
	return out
}

// commandsIn are the commands that a message names to be copied.
func commandsIn(message string) []string {
	var out []string
	for i, part := range strings.Split(message, "`") {
		if i%2 == 1 && strings.HasPrefix(part, "kubectl ") {
			out = append(out, part)
		}
	}
	return out
}

// commandsFor are commands that help with a reason whose message has none.
func (g Gateway) commandsFor(c Condition) []string {
	switch c.Reason {
	case api.ReasonDrifted, api.ReasonEngineBehind, api.ReasonTemplateOutOfSync, api.ReasonProvisioning, api.ReasonResourcesMissing:
		return []string{"kubectl tsunaro diff " + g.Name}
	case api.ReasonAPIKeyMissing, api.ReasonTailnetMissing:
		return []string{"kubectl describe tailnet " + g.Tailnet}
	case api.ReasonPodTemplateStale:
		if g.Namespace != "" {
			return []string{"kubectl delete pod --namespace " + g.Namespace + " " + g.Name + "-0"}
		}
	case api.ReasonLBPending:
		if g.Namespace != "" {
			return []string{"kubectl describe service --namespace " + g.Namespace + " " + api.LBServiceName(g.Name)}
		}
	case api.ReasonNotApproved:
		return g.approve()
	case api.ReasonDNSUpdateBlocked:
		if g.Namespace != "" {
			return []string{"kubectl get configmap --namespace " + g.Namespace + " --output yaml " + api.CoreDNSName(g.Name)}
		}
	}
	return nil
}

// approve approves at Headscale what the Pod advertises. The command replaces the
// set, so all that is approved already is in it.
func (g Gateway) approve() []string {
	if g.Identity.NodeID == "" {
		return nil
	}
	var routes []string
	for _, r := range g.Routes {
		if r.Advertised == Yes || r.Approved == Yes {
			routes = append(routes, r.Prefix)
		}
	}
	return []string{"headscale nodes approve-routes --identifier " + g.Identity.NodeID + " --routes " + strings.Join(routes, ",")}
}

// Fine reports whether the gateway is Healthy and nothing was found beside it.
func (g Gateway) Fine() bool { return g.Health == string(api.Healthy) && len(g.Findings) == 0 }
