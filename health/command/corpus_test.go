package command_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"tsunaro.io/gateway/health/cluster/clustertest"
	"tsunaro.io/gateway/health/corpus"
	"tsunaro.io/gateway/renderer/api"
)

// world is the name of a state's world.
func world(s corpus.State) string { return strings.ReplaceAll(s.File, "/", "-") }

// The verdicts are those of the corpus that Argo CD's and Flux's are held to, for a
// gateway and for all of a list.
//
// REQ: ST-05
func TestCorpus(t *testing.T) {
	states, err := corpus.Read(os.DirFS(".."))
	if err != nil {
		t.Fatal(err)
	}
	worlds := map[string]clustertest.World{}
	for _, s := range states {
		if s.Kind() == api.KindTailnetGateway {
			worlds[world(s)] = clustertest.World{Objects: map[string]map[string]any{}}
			worlds[world(s)].Put(t, s.Object.Object)
		}
	}
	if len(worlds) < 10 {
		t.Fatalf("%d states of gateways, want at least 10", len(worlds))
	}
	x := newTerminal(t, worlds)
	type verdict struct{ Name, Health, Message string }
	for _, s := range states {
		if s.Kind() != api.KindTailnetGateway {
			continue
		}
		var one verdict
		out, said, code := x.run(world(s), "status", s.Object.GetName(), "-o", "json")
		if err := json.Unmarshal([]byte(out), &one); err != nil || code != 0 || said != "" {
			t.Fatalf("%s: exit code %d, %v: %s%s", s.File, code, err, said, out)
		}
		var list []verdict
		out, _, _ = x.run(world(s), "status", "-o", "json")
		if err := json.Unmarshal([]byte(out), &list); err != nil || len(list) != 1 || list[0] != one {
			t.Errorf("%s: alone %v, of the list %v (%v)", s.File, one, list, err)
		}
		if want := (verdict{s.Object.GetName(), s.Health, s.Message}); one != want {
			t.Errorf("%s: %+v, want %+v", s.File, one, want)
		}
	}
}
