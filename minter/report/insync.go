package report

import (
	"strings"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// inSync compares the nine with their rendering (ST-06). What is wrong comes
// before what is missing, and that before what is late.
func (s *subject) inSync() *statement {
	var missing, late *statement
	for i, fact := range s.Nine {
		m, there := fact.Get()
		said := values{"object": s.name(i), "path": m.Result.Path}
		switch {
		case fact.Unknown():
			return unavailable(s.name(i))
		case !there:
			missing = first(missing, say(api.ReasonResourcesMissing, values{"object": s.name(i)}))
		case m.Result.State == 0:
			return unavailable(api.KindTailnetGateway + "/" + s.g.Name)
		case m.Result.State == verify.Behind:
			late = first(late, say(api.ReasonEngineBehind, said))
		}
	}
	if wrong := s.drifted(); wrong != nil {
		return wrong
	}
	return first(missing, first(late, say(api.ReasonAsRendered, nil)))
}

// drifted names the first of the nine that is another than was rendered.
func (s *subject) drifted() *statement {
	for i, fact := range s.Nine {
		m, there := fact.Get()
		path := m.Result.Path
		switch {
		case !there:
			continue
		case m.Deleting:
			path = "metadata.deletionTimestamp"
		case m.Result.State == verify.Same || m.Result.State == verify.Behind:
			continue
		}
		return say(api.ReasonDrifted, values{"object": s.name(i), "path": path})
	}
	return nil
}

func first(a, b *statement) *statement {
	if a != nil {
		return a
	}
	return b
}

// Bounds of status.drift.
const (
	maxDrift = 16
	maxPath  = 512
)

// drift lists the first fields that differ, or the previous ones where the nine
// could not be compared.
func (s *subject) drift(was []v1alpha1.Drift) []v1alpha1.Drift {
	var list []v1alpha1.Drift
	names := observe.Names(s.g, s.Namespace)
	for i, fact := range s.Nine {
		m, there := fact.Get()
		if fact.Unknown() || there && m.Result.State == 0 {
			return was
		}
		for _, d := range m.Result.Differences {
			path := strings.ToValidUTF8(d.Path[:min(len(d.Path), maxPath)], "")
			list = append(list, v1alpha1.Drift{Kind: names[i].Kind, Name: names[i].Name, Path: path})
		}
	}
	return list[:min(len(list), maxDrift)]
}
