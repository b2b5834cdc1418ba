//go:build lab

package monitoring

import (
	"maps"
	"strconv"
	"strings"
	"testing"
)

// promtool takes all alerts, and every expression of the dashboard, for what
// Prometheus understands.
//
// REQ: ST-04
func TestRulesAreValid(t *testing.T) {
	dir := t.TempDir()
	for name, g := range map[string][]group{"rules.yaml": groups(t), "dashboard.yaml": panels(t)} {
		if out, ok := promtool(t, "check", "rules", write(t, dir, name, map[string]any{"groups": g})); !ok {
			t.Errorf("%s:\n%s", name, out)
		}
	}
}

// Every alert fires when it is time and not before, with its texts filled in, and
// not for what is not there: a suspended gateway has no series.
//
// REQ: ST-04, MT-06
func TestAlertsFireInTime(t *testing.T) {
	dir := t.TempDir()
	all := groups(t)
	write(t, dir, "rules.yaml", map[string]any{"groups": all})
	for _, g := range all {
		for _, r := range g.Rules {
			t.Run(r.Alert, func(t *testing.T) {
				fired := false
				var tests []unit
				for _, s := range scenarios {
					if s.alert == r.Alert {
						tests = append(tests, s.unit(r))
						fired = fired || s.fires != 0
					}
				}
				if r.Alert != "TailnetMinterDown" { // which is about nothing being there
					tests = append(tests, scenario{alert: r.Alert, why: "nothing is there", world: world{}, quiet: 1400}.unit(r))
				}
				if !fired {
					t.Fatal("no scenario lets it fire")
				}
				path := write(t, dir, r.Alert+".yaml", map[string]any{"rule_files": []string{"rules.yaml"}, "evaluation_interval": "1m", "tests": tests})
				if out, ok := promtool(t, "test", "rules", path); !ok {
					t.Error(out)
				}
			})
		}
	}
}

// A scenario of an alert that is not there proves nothing.
func TestScenariosAreOfAlerts(t *testing.T) {
	known := map[string]bool{}
	for _, g := range groups(t) {
		for _, r := range g.Rules {
			known[r.Alert] = true
		}
	}
	for _, s := range scenarios {
		if !known[s.alert] {
			t.Errorf("there is no alert %s", s.alert)
		}
	}
}

// unit is a test as promtool reads it.
type unit struct {
	Name     string   `json:"name"`
	Interval string   `json:"interval"`
	Input    []input  `json:"input_series"`
	Alerts   []moment `json:"alert_rule_test"`
}

type input struct {
	Series string `json:"series"`
	Values string `json:"values"`
}

type moment struct {
	At     string  `json:"eval_time"`
	Alert  string  `json:"alertname"`
	Expect []alert `json:"exp_alerts,omitempty"`
}

type alert struct {
	Labels      map[string]string `json:"exp_labels"`
	Annotations map[string]string `json:"exp_annotations"`
}

func minutes(n int) string { return strconv.Itoa(n) + "m" }

// unit looks at the alert all the time that it is to be quiet, and when it is to fire.
func (s scenario) unit(r rule) unit {
	u := unit{Name: s.why, Interval: "1m"}
	for at := s.quiet; at >= 0; at -= 1 + s.quiet/100 {
		u.Alerts = append(u.Alerts, moment{At: minutes(at), Alert: s.alert})
	}
	for series, values := range s.world {
		u.Input = append(u.Input, input{series, values})
	}
	if s.fires != 0 {
		a := alert{Labels: maps.Clone(r.Labels), Annotations: map[string]string{}}
		maps.Copy(a.Labels, s.with)
		for name, text := range r.Annotations {
			for label, value := range s.with {
				text = strings.ReplaceAll(text, "{{ $labels."+label+" }}", value)
			}
			a.Annotations[name] = text
		}
		u.Alerts = append(u.Alerts, moment{At: minutes(s.fires), Alert: s.alert, Expect: []alert{a}})
	}
	return u
}
