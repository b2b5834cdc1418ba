package view

import (
	"encoding/json"
	"slices"
	"time"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/digest"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// Resources compares the nine with the rendering of the live custom resources.
func Resources(r Reading) []Resource {
	binding, bound := r.Bind()
	out := make([]Resource, 0, objects.Count)
	for i, name := range observe.Names(r.Gateway, r.Namespace) {
		resource := Resource{Kind: name.Kind, Namespace: name.Namespace, Name: name.Name, State: NotCompared}
		live, there := r.Nine[i].Get()
		switch {
		case r.Nine[i].Unknown():
			resource.State = Unknown
		case !there:
			resource.State = Missing
		case Suspended(r.Gateway) || !bound:
		default:
			member := binding.Judge(i, name, live)
			resource.State, resource.Path = stateOf(member), clean(member.Result.Path)
			if binding.Rendered != nil {
				resource.Differences = differences(member.Result, binding.Rendered[i], live)
			}
		}
		out = append(out, resource)
	}
	return out
}

// Against compares the nine with objects that were rendered elsewhere, bound to the
// same UIDs by the caller. What is not among them is Missing in Path "build".
func Against(r Reading, built []objects.Object) []Resource {
	out := make([]Resource, 0, objects.Count)
	for i, name := range observe.Names(r.Gateway, r.Namespace) {
		resource := Resource{Kind: name.Kind, Namespace: name.Namespace, Name: name.Name, State: NotCompared}
		want, rendered := find(built, name)
		live, there := r.Nine[i].Get()
		switch {
		case r.Nine[i].Unknown():
			resource.State = Unknown
		case !rendered && there:
			resource.State = NotBuilt
		case !rendered:
			resource.State = AsRendered // it is in neither
		case !there:
			resource.State = Missing
		default:
			result := verify.Inspect(want, live, time.Time{})
			resource.State, resource.Path = states[result.State], clean(result.Path)
			resource.Differences = differences(result, want, live)
		}
		out = append(out, resource)
	}
	return out
}

// NotBuilt is the state of a resource that exists and is not in a build.
const NotBuilt = "NotBuilt"

func find(built []objects.Object, name rules.Object) (objects.Object, bool) {
	for _, o := range built {
		if o.Object == name {
			return o, true
		}
	}
	return objects.Object{}, false
}

var states = map[verify.State]string{
	0:                  NotCompared,
	verify.Missing:     Missing,
	verify.Terminating: Deleting,
	verify.WrongUID:    Drifted,
	verify.Older:       Replaced,
	verify.Different:   Drifted,
	verify.Behind:      Behind,
	verify.Same:        AsRendered,
	verify.Replaced:    Replaced,
}

func stateOf(m observe.Member) string {
	state := states[m.Result.State]
	if m.Retained == verify.Replaced && state != Deleting {
		return Replaced
	}
	return state
}

var classes = map[digest.Class]string{verify.Pinned: "Pinned", digest.Mutable: "Mutable", digest.Live: "Live"}

func differences(result verify.Result, want objects.Object, live verify.Live) []Difference {
	if len(result.Differences) == 0 {
		return nil
	}
	rendered, err := verify.Decode(want.Kind, want.JSON)
	if err != nil {
		return nil // it was compared as that type before
	}
	w, h := tree(rendered), tree(live)
	var out []Difference
	for _, d := range result.Differences {
		out = append(out, Difference{Path: clean(d.Path), Class: classes[d.Class], Live: at(h, d.Path), Rendered: at(w, d.Path)})
	}
	return out
}

// tree is an object as package verify walks it.
func tree(live verify.Live) any {
	data, err := json.Marshal(live)
	if err != nil {
		return nil
	}
	var t any
	if json.Unmarshal(data, &t) != nil {
		return nil
	}
	return t
}

// WhyNotCompared says why the nine are not compared with the live custom resources,
// or nothing where they are.
func WhyNotCompared(r Reading) string {
	render, _ := r.Render().Get()
	switch _, bound := r.Bind(); {
	case Suspended(r.Gateway):
		return "suspended: nothing is rendered, and what runs keeps running"
	case !r.Tailnet.Known(), r.Render().Unknown():
		return "its Tailnet or TailnetEgresses could not be read, so it cannot be rendered"
	case render.Gateway == nil:
		return "it cannot be rendered: " + render.Refused.Error()
	case !bound && slices.ContainsFunc(r.Nine[:], func(f observe.Fact[verify.Live]) bool { return !f.Absent() }):
		return "it could not be read which state Secret its resources belong to"
	}
	return ""
}
