//go:build lab && linux

package reload

import (
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/miekg/dns"

	oracle "tsunaro.io/gateway/test/dns"
	"tsunaro.io/gateway/test/testbed/coredns"
	"tsunaro.io/gateway/test/testbed/netns"
)

func TestMain(m *testing.M) { netns.Main(m, coredns.Prepare) }

// data is the DNS data of version n: an address that says n, as a plain name, as
// a static wildcard and in an extra zone, beside a name that stays.
func data(n int) oracle.Data {
	a := address(n)
	return oracle.Data{
		Zone: "tail.example", LoadBalancerIP: "10.99.0.53",
		Records: []oracle.Record{
			{Name: "*.any", Addresses: []string{a.String()}},
			{Name: "stays", Addresses: []string{"198.51.100.1"}},
		},
		ExtraZones: []oracle.ExtraZone{{Zone: "corp.example", Upstreams: []string{"192.0.2.53"}}},
		Hosts:      fmt.Sprintf("%[1]s now.tail.example now.corp.example\n198.51.100.2 below.known.any.tail.example\n", a),
	}
}

func address(n int) netip.Addr { return netip.AddrFrom4([4]byte{10, 1, byte(n >> 8), byte(n)}) }

// version tells which data an address is from; -1 is none.
func version(s string) int {
	a, err := netip.ParseAddr(s)
	if err != nil || !a.Is4() || a.As4()[0] != 10 {
		return -1
	}
	return int(a.As4()[2])<<8 | int(a.As4()[3])
}

// perSecond is how often each of the two transports is asked.
const perSecond = 100

// load is a steady stream of questions, each of which must be answered rightly.
type load struct {
	swapped  atomic.Int64 // the newest version that may be seen
	asked    atomic.Int64
	closed   atomic.Int64 // connections that the server closed
	versions sync.Map     // seen
	stop     chan struct{}
	ended    sync.WaitGroup
	faults   struct {
		sync.Mutex
		list []string
	}
}

// startLoad asks over UDP and TCP until end is called.
func startLoad(t *testing.T) *load {
	l := &load{stop: make(chan struct{})}
	for _, network := range coredns.Networks {
		client := coredns.Dial(t, network)
		l.ended.Go(func() { l.run(client, network) })
	}
	return l
}

// end stops the questions and returns what was wrong with the answers.
func (l *load) end() []string {
	close(l.stop)
	l.ended.Wait()
	return l.faults.list
}

func (l *load) run(client *coredns.Client, network string) {
	tick := time.NewTicker(time.Second / perSecond)
	defer tick.Stop()
	newest := 0
	for i := 0; ; i++ {
		select {
		case <-l.stop:
			return
		case <-tick.C:
		}
		q := streams[i%len(streams)]
		l.asked.Add(1)
		reply, err := client.Exchange(coredns.Question(q.name, dns.TypeA))
		if err != nil {
			if closed(err) {
				l.closed.Add(1)
			} else {
				l.fault("%s over %s: %v", q.name, network, err)
			}
			if err := client.Redial(); err != nil {
				l.fault("%s: %v", network, err)
				return
			}
			continue
		}
		got := coredns.Answer(reply)
		if q.want != "" {
			if got != q.want {
				l.fault("%s over %s: %s, want %s", q.name, network, got, q.want)
			}
			continue
		}
		// The old data or the new, and never the old again.
		v := version(got)
		if v < newest || v > int(l.swapped.Load()) {
			l.fault("%s over %s: %s, want version %d to %d", q.name, network, got, newest, l.swapped.Load())
			continue
		}
		newest = v
		l.versions.Store(v, true)
	}
}

// closed tells whether the peer closed the connection, before or after it got the
// question.
func closed(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// streams are the questions, in turn; those without an answer here say a version.
var streams = []struct{ name, want string }{
	{"now.tail.example.", ""},
	{"stays.tail.example.", "198.51.100.1"},
	{"x.any.tail.example.", ""},
	{"unknown.tail.example.", "NXDOMAIN"},
	{"known.any.tail.example.", "NOERROR"},
	{"x.known.any.tail.example.", "NXDOMAIN"},
}

func (l *load) fault(format string, args ...any) {
	l.faults.Lock()
	defer l.faults.Unlock()
	l.faults.list = append(l.faults.list, fmt.Sprintf(format, args...))
}
