package ask_test

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/miekg/dns"

	"tsunaro.io/gateway/health/ask"
	"tsunaro.io/gateway/health/ask/asktest"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/zone"
)

// data are a zone with everything that is asked about.
func data(t testing.TB) (model.Name, zone.Data) {
	t.Helper()
	addr := netip.MustParseAddr
	d, problems := zone.New(model.DNS{Zone: "lab.example", Records: []model.Record{
		{Name: "*.apps.lab.example", Addresses: []netip.Addr{addr("192.168.10.2")}},
		{Name: "nas.lab.example", Addresses: []netip.Addr{addr("2001:db8::7"), addr("192.168.10.7")}},
	}, ExtraZones: []model.ExtraZone{{Zone: "corp.example", Upstreams: []netip.Addr{addr("192.168.10.3")}}}},
		addr("10.99.0.53"), "192.168.10.8 printer.lab.example\n192.168.10.9 wiki.corp.example\n")
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return "lab.example", d
}

func TestQuestions(t *testing.T) {
	apex, d := data(t)
	var got []string
	for _, q := range ask.Questions(apex, d, 0) {
		got = append(got, strings.TrimSuffix(q.Name, ".")+" "+dns.TypeToString[q.Type]+": "+q.Want.String())
	}
	want := []string{
		"lab.example A: 10.99.0.53", "lab.example AAAA: no address",
		"*.apps.lab.example A: 192.168.10.2", "*.apps.lab.example AAAA: no address",
		"tsunaro-asks-for-nobody.apps.lab.example A: 192.168.10.2", "tsunaro-asks-for-nobody.apps.lab.example AAAA: no address",
		"nas.lab.example A: 192.168.10.7", "nas.lab.example AAAA: 2001:db8::7",
		"printer.lab.example A: 192.168.10.8", "printer.lab.example AAAA: no address",
		"wiki.corp.example A: 192.168.10.9", "wiki.corp.example AAAA: no address",
		"tsunaro-asks-for-nobody.lab.example A: NXDOMAIN", "tsunaro-asks-for-nobody.lab.example AAAA: NXDOMAIN",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A sample has the apex, is as large as asked for, and is the same each time.
func TestSample(t *testing.T) {
	apex, d := data(t)
	names := func(n int) []string {
		var names []string
		for _, q := range ask.Questions(apex, d, n) {
			if !strings.HasPrefix(q.Name, "tsunaro-") {
				names = append(names, q.Name)
			}
		}
		return slices.Compact(names)
	}
	for n := 1; n <= 5; n++ {
		if got := names(n); len(got) != n || got[0] != "lab.example." || !slices.Equal(got, names(n)) {
			t.Errorf("a sample of %d: %v", n, got)
		}
	}
}

// served is a server of the data.
func served(t testing.TB, d zone.Data, change asktest.Change) string {
	t.Helper()
	return asktest.Serve(t, d.ConfigMap(4)["zone.db"], change, "wiki.corp.example. 30 IN A 192.168.10.9")
}

// What is answered as the data say is not wrong, and what is not, is.
func TestAll(t *testing.T) {
	apex, d := data(t)
	nas := func(m *dns.Msg) bool {
		return m.Question[0].Name == "nas.lab.example." && m.Question[0].Qtype == dns.TypeA
	}
	for _, c := range []struct {
		why    string
		change asktest.Change
		want   []string
	}{
		{"all is well", nil, nil},
		{"another address", func(_ dns.ResponseWriter, m *dns.Msg) bool {
			if nas(m) {
				m.Answer = []dns.RR{asktest.Record(t, "nas.lab.example. 30 IN A 192.168.10.99")}
			}
			return true
		}, []string{"nas.lab.example A: want 192.168.10.7, got 192.168.10.99"}},
		{"one address more", func(_ dns.ResponseWriter, m *dns.Msg) bool {
			if nas(m) {
				m.Answer = append(m.Answer, asktest.Record(t, "nas.lab.example. 30 IN A 192.168.10.1"))
			}
			return true
		}, []string{"nas.lab.example A: want 192.168.10.7, got 192.168.10.1 192.168.10.7"}},
		{"an address in the wrong family", func(_ dns.ResponseWriter, m *dns.Msg) bool {
			if m.Question[0].Name == "printer.lab.example." {
				m.Answer = []dns.RR{asktest.Record(t, "printer.lab.example. 30 IN AAAA 2001:db8::8")}
			}
			return true
		}, []string{"printer.lab.example A: want 192.168.10.8, got no address", "printer.lab.example AAAA: want no address, got 2001:db8::8"}},
		{"a name is not there", func(_ dns.ResponseWriter, m *dns.Msg) bool {
			if nas(m) {
				m.Answer, m.Rcode = nil, dns.RcodeNameError
			}
			return true
		}, []string{"nas.lab.example A: want 192.168.10.7, got NXDOMAIN"}},
		{"no answer", func(_ dns.ResponseWriter, m *dns.Msg) bool { return !nas(m) },
			[]string{"nas.lab.example A: want 192.168.10.7, got no answer"}},
		{"too long for UDP", func(w dns.ResponseWriter, m *dns.Msg) bool {
			if w.RemoteAddr().Network() == "udp" {
				m.Truncated, m.Answer = true, nil
			}
			return true
		}, nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			s := ask.Server{Address: served(t, d, c.change), Timeout: 200 * time.Millisecond}
			questions := ask.Questions(apex, d, 0)
			var done atomic.Int64
			wrong, err := s.All(t.Context(), questions, func(int) { done.Add(1) })
			if err != nil || done.Load() != int64(len(questions)) {
				t.Fatalf("%d of %d questions, %v", done.Load(), len(questions), err)
			}
			var got []string
			for _, w := range wrong {
				got = append(got, fmt.Sprintf("%s %s: want %s, got %s", w.Name, w.Type, w.Want, w.Got))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

func TestSerial(t *testing.T) {
	_, d := data(t)
	s := ask.Server{Address: served(t, d, nil), Timeout: time.Second}
	for _, s.TCP = range []bool{false, true} {
		if serial, authoritative, err := s.Serial(t.Context(), "lab.example"); serial != 4 || !authoritative || err != nil {
			t.Errorf("TCP %t: serial %d, authoritative %t, %v", s.TCP, serial, authoritative, err)
		}
	}
	if _, _, err := s.Serial(t.Context(), "other.example"); err == nil || !strings.Contains(err.Error(), "NXDOMAIN") {
		t.Errorf("another zone: %v", err)
	}
	between := ask.Server{Timeout: time.Second, Address: served(t, d, func(_ dns.ResponseWriter, m *dns.Msg) bool {
		m.Authoritative = false
		return true
	})}
	if serial, authoritative, err := between.Serial(t.Context(), "lab.example"); serial != 4 || authoritative || err != nil {
		t.Errorf("from somebody in between: serial %d, authoritative %t, %v", serial, authoritative, err)
	}
}

// Somebody who does not want to wait does not have to.
func TestCancelled(t *testing.T) {
	apex, d := data(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := ask.Server{Timeout: 200 * time.Millisecond, Address: served(t, d, func(dns.ResponseWriter, *dns.Msg) bool {
		cancel()
		return false
	})}
	if _, err := s.All(ctx, ask.Questions(apex, d, 0), func(int) {}); err == nil {
		t.Error("no error")
	}
	if _, _, err := s.Serial(ctx, "lab.example"); err == nil {
		t.Error("no error")
	}
}
