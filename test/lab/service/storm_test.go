//go:build lab && linux

package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// Of a storm: how many names each of the two writers gives an address, how often each
// name gets another one, and how much time lies between two changes of a writer.
const (
	writers = 2
	hostsOf = 250
	rounds  = 2
	pace    = 15 * time.Millisecond
)

// storm changes the hosts source a thousand times, from two sides, while somebody
// else writes to the live zone's metadata all the time; the minter, the API server
// and Headscale are killed on the way. A change may be overtaken by a later one. In
// the end every name has its last address, in the process that ran before, and no
// serial was ever lower than one before, or jumped, or stood for two zones.
//
// REQ: DL-01, DL-02, DL-04, DL-05, OP-01
func (g *gateway) storm() {
	pod := g.AwaitReady(g.namespace, g.pod())
	first, began := g.zone.latest(), time.Now()
	s := &storm{gateway: g, want: map[string]string{}}
	ctx, stop := context.WithTimeout(g.Context(), 2*labtest.Deadline)
	defer stop()
	var toucher, hosts sync.WaitGroup
	touching, calm := context.WithCancel(ctx)
	defer calm()
	toucher.Go(func() { s.touch(touching) })
	for n := range writers {
		hosts.Go(func() { s.write(ctx, n) })
	}
	const all = writers * hostsOf * rounds
	s.count(-1)
	for _, d := range []struct {
		at int64
		do func()
	}{
		{all / 4, s.restartMinter}, {all / 2, func() { s.restart("kube-apiserver") }}, {3 * all / 4, func() { s.restart("headscale") }},
	} {
		g.Await(fmt.Sprintf("%d changes are written", d.at), func(context.Context) error {
			if n := s.written.Load(); n < d.at {
				return fmt.Errorf("%d are", n)
			}
			return nil
		})
		d.do()
	}
	hosts.Wait()
	took := time.Since(began)
	calm()
	toucher.Wait()
	if err := errors.Join(s.failed...); err != nil {
		g.Fatal(err)
	}
	s.settled(pod)
	last := g.zone.latest()
	g.Logf("%d changes in %s, %d touches: serial %d to %d; %s after the last change all is served",
		s.written.Load(), ms(took), s.touches.Load(), first.Serial, last.Serial, ms(time.Since(began)-took))
	s.count(1)
	lost := 0 // passes whose every attempt came too late
	for _, seen := range shared.view.since(g.name, began) {
		if seen.condition(api.ConditionDNSReady).Reason == api.ReasonDNSUpdateConflict {
			lost++
		}
	}
	g.Logf("the minters wrote the zone %v times, and came too late %v times; %d states said %s", s.done, s.conflicts, lost, api.ReasonDNSUpdateConflict)
	if s.conflicts == 0 {
		g.Error("nothing was in conflict")
	}
	if int64(last.touches) != s.touches.Load() {
		g.Errorf("the last touch in the zone's metadata is %d, want %d", last.touches, s.touches.Load())
	}
	g.zone.check(g.World)
	g.says(api.ConditionReady, api.ReasonFreshRuntimeReady)
}

type storm struct {
	*gateway
	written, touches atomic.Int64

	mu     sync.Mutex
	want   map[string]string // addresses by name
	failed []error

	done, conflicts float64 // writes of the minters since the beginning, by what came of them
}

// write gives names their addresses, round by round.
func (s *storm) write(ctx context.Context, n int) {
	source := s.hostsSource()
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for i := range hostsOf * rounds {
		<-tick.C
		name, address := fmt.Sprintf("w%d-%d", n, i%hostsOf), fmt.Sprintf("10.%d.%d.%d", 100+n, i/hostsOf, i%hostsOf)
		err := source.set(ctx, name, address)
		s.mu.Lock()
		s.want[name] = address
		if err != nil {
			s.failed = append(s.failed, err)
		}
		s.mu.Unlock()
		s.written.Add(1)
		if err != nil {
			return
		}
	}
}

// touch writes to the live zone's metadata until the context is over.
func (s *storm) touch(ctx context.Context) {
	zones := s.Client(apiserver.ArgoEngine).CoreV1().ConfigMaps(s.namespace)
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		next := s.touches.Load() + 1
		patch := fmt.Appendf(nil, `{"metadata":{"annotations":{%q:"%d"}}}`, touched, next)
		// What is under way is not given up: whether it was written would not be known.
		if err := poll(s.Context(), func() error {
			_, err := zones.Patch(s.Context(), api.CoreDNSName(s.name), types.MergePatchType, patch, metav1.PatchOptions{})
			return err
		}); err != nil {
			return
		}
		s.touches.Store(next)
	}
}

// count adds the minter's own counts, which begin again with each minter, or takes
// them away.
func (s *storm) count(sign float64) {
	s.Helper()
	s.Await("the minter tells what it wrote", func(ctx context.Context) error {
		samples, err := s.minter().Metrics(ctx, s.World)
		if err != nil {
			return err
		}
		for outcome, sum := range map[string]*float64{"done": &s.done, "conflict": &s.conflicts} {
			*sum += sign * samples[fmt.Sprintf(`tailnet_gateway_dns_swaps_total{name=%q,outcome=%q}`, s.name, outcome)]
		}
		return nil
	})
}

func (s *storm) restartMinter() {
	s.Helper()
	s.count(1)
	s.minter().Kill(s.World)
	s.minter().Start(s.World)
}

func (s *storm) restart(component string) {
	s.Helper()
	if err := s.Lab.KillComponent(s.Context(), component); err != nil {
		s.Fatal(err)
	}
	if err := s.Lab.StartComponent(s.Context(), component); err != nil {
		s.Fatal(err)
	}
}

// settled waits until the live zone holds every last address, and CoreDNS, which is
// still the same process, answers all of them.
func (s *storm) settled(pod *corev1.Pod) {
	s.Helper()
	s.Await("the zone holds the last address of every name", func(context.Context) error {
		is := records(s.zone.latest().data)
		for name, address := range s.want {
			if got := is[name+"."+s.zoneName()+"."]; got != address {
				return fmt.Errorf("%s has %q, want %s", name, got, address)
			}
		}
		return nil
	})
	s.Await("CoreDNS answers all names", func(ctx context.Context) error { return s.answersAll(ctx, pod.Status.PodIP) })
	s.says(api.ConditionDNSReady, api.ReasonDNSInSync, fmt.Sprintf("serial %d", s.zone.latest().Serial))
	now := s.AwaitReady(s.namespace, s.pod())
	if now.UID != pod.UID || labtest.Container(now, "coredns").ContainerID != labtest.Container(pod, "coredns").ContainerID {
		s.Error("CoreDNS was started anew")
	}
}

// answersAll asks for every name, over one connection.
func (s *storm) answersAll(ctx context.Context, server string) error {
	c, err := s.Lab.Dial(ctx, lab.OnNode, "tcp", server+":53")
	if err != nil {
		return err
	}
	conn := &dns.Conn{Conn: c}
	defer conn.Close()
	for name, address := range s.want {
		question := new(dns.Msg).SetQuestion(name+"."+s.zoneName()+".", dns.TypeA)
		m, _, err := new(dns.Client).ExchangeWithConnContext(ctx, question, conn)
		if err == nil {
			err = isAddress(m, address)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// records are the addresses of a zone file by name.
func records(data string) map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(data) {
		if f := strings.Fields(line); len(f) == 5 && f[3] == "A" {
			all[f[0]] = f[4]
		}
	}
	return all
}
