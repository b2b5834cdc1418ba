package command_test

import (
	"strings"
	"testing"

	"github.com/miekg/dns"

	"tsunaro.io/gateway/health/ask/asktest"
	"tsunaro.io/gateway/health/cluster/clustertest"
	"tsunaro.io/gateway/internal/commandline"
)

// zoneOf is the zone's file that a world's gateway serves.
func zoneOf(w clustertest.World) string {
	return w.Objects["api/v1/namespaces/tsunaro-system/configmaps/lab-gw-coredns"]["data"].(map[string]any)["zone.db"].(string)
}

// serial makes the serial of all answers another.
func serial(n uint32) asktest.Change {
	return func(_ dns.ResponseWriter, m *dns.Msg) bool {
		for _, rr := range m.Answer {
			if soa, ok := rr.(*dns.SOA); ok {
				soa.Serial = n
			}
		}
		return true
	}
}

// What a gateway's DNS answers, beside what its sources say.
//
// REQ: ST-06
func TestDNS(t *testing.T) {
	worlds := clustertest.Worlds(t)
	x := newTerminal(t, worlds)
	nas := func(m *dns.Msg) bool {
		return m.Question[0].Name == "nas.lab.example." && m.Question[0].Qtype == dns.TypeA
	}
	got := map[string]string{}
	for name, c := range map[string]struct {
		world  string
		change asktest.Change
		more   string
	}{
		"right":  {"healthy", nil, ""},
		"sample": {"healthy", nil, " --sample 1"},
		"tcp":    {"healthy", nil, " --tcp"},
		"json":   {"healthy", nil, " -o json"},
		"wrong": {"healthy", func(_ dns.ResponseWriter, m *dns.Msg) bool {
			if nas(m) {
				m.Answer = []dns.RR{asktest.Record(t, "nas.lab.example. 30 IN A 192.168.10.99")}
			}
			return true
		}, ""},
		"lost":         {"healthy", func(_ dns.ResponseWriter, m *dns.Msg) bool { return !nas(m) }, " --timeout 50ms"},
		"old-serial":   {"healthy", serial(0), ""},
		"later-serial": {"healthy", serial(7), ""},
		"behind":       {"zone-behind", nil, ""},
		"forged":       {"forged-serial", nil, ""},
		"in-between": {"healthy", func(_ dns.ResponseWriter, m *dns.Msg) bool {
			m.Authoritative = false
			return true
		}, ""},
		"nobody": {"healthy", func(dns.ResponseWriter, *dns.Msg) bool { return false }, " --timeout 20ms"},
		"another-zone": {"healthy", func(_ dns.ResponseWriter, m *dns.Msg) bool {
			m.Answer, m.Rcode = nil, dns.RcodeRefused
			return true
		}, ""},
		"refused": {"refused", nil, ""},
		"partial": {"partial", nil, ""},
	} {
		address := asktest.Serve(t, zoneOf(worlds["healthy"]), c.change)
		text := x.session(c.world, "dns lab-gw --address "+address+c.more)
		text = strings.ReplaceAll(text, address, "127.0.0.1:5300")
		if name == "nobody" { // the operating system's words are its own
			head, _, _ := strings.Cut(text, "does not answer")
			_, tail, _ := strings.Cut(text, "\nThe gateway's")
			text = head + "does not answer\nThe gateway's" + tail
		}
		got[name+".txt"] = text
	}
	golden(t, "testdata/dns", got)
}

// Many questions take their time, and who waits at a terminal is told how much.
func TestDNSProgress(t *testing.T) {
	world := clustertest.Completed(t)
	hosts := strings.Builder{}
	zone := zoneOf(world)
	for i := range 400 {
		name := "n" + strings.Repeat("x", i%7) + string(rune('a'+i%26)) + strings.Repeat("y", i/26)
		hosts.WriteString("192.168.10.8 " + name + ".lab.example\n")
		zone += name + ".lab.example. 30 IN A 192.168.10.8\n"
	}
	world = world.With(t, "ConfigMap", clustertest.Namespace, "tailnet-dns-hosts", func(o map[string]any) map[string]any {
		o["data"] = map[string]any{"hosts": hosts.String()}
		return o
	})
	x := newTerminal(t, map[string]clustertest.World{"many": world})
	address := asktest.Serve(t, zone, nil)
	_, said, _ := x.run("many", "dns", "lab-gw", "--address", address)
	if said != "" {
		t.Errorf("progress without a terminal: %q", said)
	}
	x.streams = commandline.Streams{ErrTerminal: true}
	_, said, _ = x.run("many", "dns", "lab-gw", "--address", address)
	if !strings.Contains(said, "\r806 of 806 questions") || !strings.HasSuffix(said, "\r\x1b[K") {
		t.Errorf("progress on a terminal: %q", said)
	}
}
