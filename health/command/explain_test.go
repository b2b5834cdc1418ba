package command_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tsunaro.io/gateway/health/cluster/clustertest"
	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/renderer/api"
)

// Explanations need no cluster.
//
// REQ: ST-09
func TestExplain(t *testing.T) {
	x := newTerminal(t, map[string]clustertest.World{"down": {Down: true}})
	got := map[string]string{}
	for name, line := range map[string]string{
		"all": "explain", "reason": "explain FreshBlocked", "several-rows": "explain hostsMissing", "condition": "explain workloadcurrent",
		"one-of-a-condition": "explain DNSReady/DNSUpdateBlocked", "two": "explain LBPending Stalled", "unknown": "explain Nothing",
		"unknown-of-a-condition": "explain DNSReady/Nothing", "json": "explain DNSUpdateBlocked -o json",
	} {
		got[name+".txt"] = x.session("down", line)
	}
	x.streams = commandline.Streams{OutTerminal: true, Width: 60}
	got["reason.color.txt"] = x.session("down", "explain FreshBlocked")
	golden(t, "testdata/explain", got)
}

// Every row can be asked for, by its condition and by its reason, with its text.
//
// REQ: ST-09
func TestExplainKnowsAll(t *testing.T) {
	x := newTerminal(t, map[string]clustertest.World{"down": {Down: true}})
	for _, c := range api.Conditions {
		for _, line := range []string{c.Reason, c.Type, c.Type + "/" + c.Reason} {
			out, said, code := x.run("down", "explain", line)
			if code != 0 || said != "" || !strings.Contains(out, fmt.Sprintf("%s  %s %s=%s\n", c.Reason, c.Kind, c.Type, c.Status)) || !strings.Contains(out, c.Text) {
				t.Errorf("explain %s: exit code %d %s\n%s", line, code, said, out)
			}
		}
	}
	out, _, _ := x.run("down", "explain", "-o", "json")
	var rows []any
	if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != len(api.Conditions) {
		t.Errorf("%d rows, want %d: %v", len(rows), len(api.Conditions), err)
	}
}

// The tab key knows gateways, conditions and reasons.
func TestCompletion(t *testing.T) {
	worlds := clustertest.Worlds(t)
	x := newTerminal(t, map[string]clustertest.World{"several": worlds["several"], "down": worlds["down"]})
	for _, c := range []struct{ world, line, want string }{
		{"several", "status|", "attic\ncellar\nlab-gw\nshed\nyard\n:4\n"},
		{"several", "status|shed|", "attic\ncellar\nlab-gw\nyard\n:4\n"},
		{"several", "diff|lab", "lab-gw\n:4\n"},
		{"several", "dns|", "attic\ncellar\nlab-gw\nshed\nyard\n:4\n"},
		{"down", "status|", ":1\n"},
		{"down", "explain|FreshB", "FreshBlocked\tTailnetGateway Ready: {object} {problem}, so nothing is touched.\n:4\n"},
		{"down", "status|-o|", "text\ntable\njson\nyaml\n:4\n"},
		{"down", "status|--color|", "auto\nalways\nnever\n:4\n"},
	} {
		// Flags first: what is completed stands last.
		line := append([]string{"__complete", "--kubeconfig", x.kubeconfig, "--context", c.world}, strings.Split(c.line, "|")...)
		out, _, _ := x.exactly(line)
		if out != c.want {
			t.Errorf("%s: %q, want %q", c.line, out, c.want)
		}
	}
}
