package command_test

import (
	"strings"
	"testing"

	"tsunaro.io/gateway/health/cluster/clustertest"
)

// Whatever may not be read is never fine, one object at a time.
//
// REQ: ST-06
func TestUnknownIsNotFine(t *testing.T) {
	healthy := clustertest.Completed(t)
	type blind struct {
		object string // as it is named
		diff   int    // exit code
	}
	parts := map[string]blind{
		"/tailnets/home/":                 {"Tailnet/home", 2},
		"/tailnetegresses/":               {"TailnetEgress/tsunaro-system", 2},
		"/configmaps/tailnet-dns-hosts/":  {"ConfigMap/tsunaro-system/tailnet-dns-hosts", 0},
		"/configmaps/tsunaro-bindings/":   {"ConfigMap/tsunaro-system/tsunaro-bindings", 0},
		"/configmaps/lab-gw-fresh/":       {"ConfigMap/tsunaro-system/lab-gw-fresh", 0}, // the registry knows the UIDs too
		"/pods/":                          {"Pod/tsunaro-system/lab-gw-0", 0},
		"/serviceaccounts/lab-gw/":        {"ServiceAccount/tsunaro-system/lab-gw", 2},
		"/roles/lab-gw/":                  {"Role/tsunaro-system/lab-gw", 2},
		"/rolebindings/lab-gw/":           {"RoleBinding/tsunaro-system/lab-gw", 2},
		"/configmaps/lab-gw-coredns/":     {"ConfigMap/tsunaro-system/lab-gw-coredns", 2},
		"/services/lab-gw/":               {"Service/tsunaro-system/lab-gw", 2},
		"/services/lab-dns/":              {"Service/tsunaro-system/lab-dns", 2},
		"/services/lab-gw-lb/":            {"Service/tsunaro-system/lab-gw-lb", 2},
		"/poddisruptionbudgets/lab-gw/":   {"PodDisruptionBudget/tsunaro-system/lab-gw", 2},
		"/namespaces/tsunaro-system/stat": {"StatefulSet/tsunaro-system/lab-gw", 2},
	}
	worlds := map[string]clustertest.World{"healthy": healthy}
	name := func(part string) string { return strings.Trim(strings.ReplaceAll(part, "/", "-"), "-") }
	for part := range parts {
		w := healthy
		w.Denied = []string{part}
		worlds[name(part)] = w
	}
	x := newTerminal(t, worlds)
	if out, _, code := x.run("healthy", "status", "lab-gw", "--exit-code"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, out)
	}
	for part, b := range parts {
		out, _, code := x.run(name(part), "status", "lab-gw", "--exit-code")
		if says := "! " + b.object + " could not be read (denied), so nothing is claimed about it.\n"; code != 1 || !strings.Contains(out, says) {
			t.Errorf("%s: exit code %d, not %q in\n%s", part, code, says, out)
		}
		if out, said, code := x.run(name(part), "diff", "lab-gw"); code != b.diff || code == 2 && !strings.Contains(said, "could not be read or compared") {
			t.Errorf("%s: diff ends with %d, want %d: %s%s", part, code, b.diff, out, said)
		}
	}
}
