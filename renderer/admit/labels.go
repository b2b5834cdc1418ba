package admit

import (
	"cmp"
	"slices"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

// instanceLabel is what Argo CD tracks by in its label mode.
const instanceLabel = "app.kubernetes.io/instance"

func poolLabels(v document.Value) []model.Pair {
	pairs := labels(v, api.MaxPoolLabels)
	for _, p := range pairs {
		if api.OwnedKey(p.Key) || p.Key == instanceLabel {
			p.at.Report(rules.PoolLabelOwned, "")
		}
	}
	return plain(pairs)
}

// label is an entry of a label map and where it was written.
type label struct {
	model.Pair
	at document.Value
}

// labels reads a map of label keys to label values, sorted by key.
func labels(v document.Value, most int) []label {
	o, ok := object(v)
	if !ok {
		return nil
	}
	fields := o.Fields()
	if len(fields) > most {
		v.Report(rules.TooMany, "")
		return nil
	}
	out := make([]label, 0, len(fields))
	for _, f := range fields {
		switch {
		case f.Bare:
			f.Report(rules.StringType, "")
		case !model.LabelKey(f.Key):
			f.Report(rules.LabelKey, "")
		}
		s := text(f.Value, 0, rules.LabelValue, model.LabelValue)
		out = append(out, label{model.Pair{Key: f.Key, Value: s}, f.Value})
	}
	slices.SortFunc(out, func(a, b label) int { return cmp.Compare(a.Key, b.Key) })
	return out
}

func plain(ls []label) []model.Pair {
	if len(ls) == 0 {
		return nil
	}
	out := make([]model.Pair, len(ls))
	for i, l := range ls {
		out[i] = l.Pair
	}
	return out
}
