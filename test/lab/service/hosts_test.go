//go:build lab && linux

package service

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/miekg/dns"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

// zoneName is the gateway's zone.
func (g *gateway) zoneName() string {
	name, _, _ := unstructured.NestedString(g.cr, "spec", "dns", "zone")
	return name
}

// hostsSource is the ConfigMap that names are written to.
type hostsSource struct {
	name, zone string
	in         typedcorev1.ConfigMapInterface
}

func (g *gateway) hostsSource() *hostsSource {
	g.Helper()
	source := unstructured.Unstructured{Object: g.hosts}
	return &hostsSource{source.GetName(), g.zoneName(), g.Client(apiserver.Person).CoreV1().ConfigMaps(g.namespace)}
}

// set gives a name of the zone an address. Others write there too, and the API server
// may be away: it tries until it has succeeded.
func (s *hostsSource) set(ctx context.Context, name, address string) error {
	fullName := name + "." + s.zone
	return poll(ctx, func() error {
		m, err := s.in.Get(ctx, s.name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		lines := slices.DeleteFunc(strings.Split(m.Data[api.DefaultHostsKey], "\n"), func(line string) bool {
			fields := strings.Fields(line)
			return len(fields) == 0 || fields[len(fields)-1] == fullName
		})
		lines = append(lines, address+"  "+fullName)
		m.Data = map[string]string{api.DefaultHostsKey: strings.Join(lines, "\n") + "\n"}
		_, err = s.in.Update(ctx, m, metav1.UpdateOptions{})
		return err
	})
}

// host gives a name of the zone an address.
func (g *gateway) host(name, address string) {
	g.Helper()
	if err := g.hostsSource().set(g.Context(), name, address); err != nil {
		g.Fatal(err)
	}
}

// poll tries at once and then every few milliseconds, until there is no error or
// the context is over.
func poll(ctx context.Context, try func() error) error {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		}
	}
}

// answers asks the gateway's CoreDNS for a name of the zone, once.
func (g *gateway) answers(ctx context.Context, space, server, name, address string) error {
	m, err := g.Ask(ctx, space, "udp", server, name+"."+g.zoneName(), dns.TypeA)
	if err != nil {
		return err
	}
	return isAddress(m, address)
}

func isAddress(m *dns.Msg, address string) error {
	if len(m.Answer) == 1 {
		if a, ok := m.Answer[0].(*dns.A); ok && a.A.String() == address {
			return nil
		}
	}
	return fmt.Errorf("%s %v, want %s", dns.RcodeToString[m.Rcode], m.Answer, address)
}

// split are the times of one change on its way, each from before its write was sent.
type split struct {
	woken     time.Duration // the gateway is queued in the minter
	swapped   time.Duration // the live zone has another serial
	projected time.Duration // the kubelet has written it to the Pod's volume
	answered  time.Duration // CoreDNS answers it
}

// timed changes the hosts source and looks at how far the change is, from the write
// to the answer of the process that ran before.
//
// REQ: DL-01, DL-05, DL-08, DN-11
func (g *gateway) timed() {
	pod := g.AwaitReady(g.namespace, g.pod())
	g.says(api.ConditionDNSReady, api.ReasonDNSInSync)
	const changes = 5
	var all []split
	for n := range changes {
		before := g.zone.latest().Serial
		s := g.oneChange(pod.Status.PodIP, string(pod.UID), fmt.Sprintf("timed-%d", n), fmt.Sprintf("192.168.10.%d", 100+n))
		g.Logf("change %d: woken %s, swapped %s, projected %s, answered %s", n+1, ms(s.woken), ms(s.swapped), ms(s.projected), ms(s.answered))
		all = append(all, s)
		if after := g.zone.latest().Serial; after != before+1 {
			g.Errorf("serial %d after %d", after, before)
		}
		g.says(api.ConditionDNSReady, api.ReasonDNSInSync, fmt.Sprintf("serial %d", before+1))
	}
	middle := func(of func(split) time.Duration) string {
		times := make([]time.Duration, len(all))
		for i, s := range all {
			times[i] = of(s)
		}
		return spread(times)
	}
	g.Logf("from a change of hosts, median (longest) of %d: woken %s, swapped %s, projected %s, answered %s", changes,
		middle(func(s split) time.Duration { return s.woken }), middle(func(s split) time.Duration { return s.swapped }),
		middle(func(s split) time.Duration { return s.projected }), middle(func(s split) time.Duration { return s.answered }))
	now := g.AwaitReady(g.namespace, g.pod())
	if now.UID != pod.UID || labtest.Container(now, "coredns").ContainerID != labtest.Container(pod, "coredns").ContainerID {
		g.Error("CoreDNS was started anew")
	}
	g.zone.check(g.World)
}

func ms(d time.Duration) string { return d.Round(time.Millisecond).String() }

// spread is the median of durations, and the longest.
func spread(times []time.Duration) string {
	sorted := slices.Sorted(slices.Values(times))
	return fmt.Sprintf("%s (%s)", ms(sorted[len(sorted)/2]), ms(sorted[len(sorted)-1]))
}

func (g *gateway) oneChange(podIP, podUID, name, address string) (s split) {
	g.Helper()
	ctx, cancel := context.WithTimeout(g.Context(), labtest.Deadline)
	defer cancel()
	queued, err := g.queued(ctx)
	if err != nil {
		g.Fatal(err)
	}
	file := sandbox.Work + "/kubelet/pods/" + podUID + "/volumes/kubernetes.io~configmap/config/" + api.DataZone
	began := time.Now()
	done := make(chan error)
	for to, reached := range map[*time.Duration]func() error{
		&s.woken: func() error {
			now, err := g.queued(ctx)
			if err == nil && now == queued {
				err = fmt.Errorf("it was queued %v times", now)
			}
			return err
		},
		&s.projected: func() error {
			r, err := g.Lab.Run(ctx, lab.Command{Args: []string{"grep", "-q", "^" + name, file}})
			if err == nil && r.Code != 0 {
				err = fmt.Errorf("%s: exit code %d: %s", file, r.Code, r.Stderr)
			}
			return err
		},
		&s.answered: func() error { return g.answers(ctx, lab.OnNode, podIP, name, address) },
	} {
		go func() {
			err := poll(ctx, reached)
			*to = time.Since(began)
			done <- err
		}()
	}
	err = g.hostsSource().set(ctx, name, address)
	for range 3 {
		if reached := <-done; err == nil {
			err = reached
		}
	}
	if err != nil {
		g.Fatal(err)
	}
	live, ok := g.zone.first(func(z zoneState) bool { return strings.Contains(z.data, "\n"+name+".") })
	if !ok {
		g.Fatalf("%s is answered, and not in the zone", name)
	}
	s.swapped = live.at.Sub(began)
	return s
}

// queued is how often gateways were queued in the minter.
func (g *gateway) queued(ctx context.Context) (n float64, err error) {
	samples, err := g.minter().Metrics(ctx, g.World)
	for series, value := range samples {
		if strings.HasPrefix(series, "workqueue_adds_total{") && strings.Contains(series, `name="tailnetgateway"`) {
			n += value
		}
	}
	return n, err
}
