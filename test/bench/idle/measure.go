//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// measured is what the section tells.
type measured struct {
	options
	flags []string // of the minter

	start, idle, single phase
	reads               float64 // requests of the start that read
	every               []phase
	resident            int64 // bytes, after the idle phase
	startPeak, peak     int64 // bytes, up to the end of the start, and of everything
	sourceBytes         int
}

// phase is what happened in a time.
type phase struct {
	took      time.Duration
	requests  float64 // to the API server
	headscale int     // requests to it
	cpu       time.Duration
	latencies
}

func measure(ctx context.Context, c *cluster, f *fleet, o options) (m measured, err error) {
	m.options, m.sourceBytes = o, len(f.text())
	say("starting the minter")
	if m.start, err = c.phase(ctx, "start", func() (latencies, error) { return latencies{}, c.settle(ctx, f, o) }); err != nil {
		return m, err
	}
	m.flags = c.minter.flags
	u, err := c.minter.usage()
	if err != nil {
		return m, err
	}
	m.startPeak = u.peak
	told, err := c.minter.metrics(ctx)
	if err != nil {
		return m, err
	}
	m.reads = told.sum("rest_client_requests_total", `method="GET"`)
	if err := c.quiet(ctx); err != nil {
		return m, err
	}
	say("nothing happens for %s", o.idle)
	if m.idle, err = c.phase(ctx, "idle", func() (latencies, error) { return latencies{}, sleep(ctx, o.idle) }); err != nil {
		return m, err
	}
	if u, err = c.minter.usage(); err != nil {
		return m, err
	}
	m.resident = u.resident
	w, err := newWatcher(ctx, c)
	if err != nil {
		return m, err
	}
	defer w.stop()
	if m.single, err = c.phase(ctx, "one zone", func() (latencies, error) { return w.one(ctx, c, f, o.single) }); err != nil {
		return m, err
	}
	for range o.all {
		if err := c.quiet(ctx); err != nil {
			return m, err
		}
		p, err := c.phase(ctx, "every zone", func() (latencies, error) { return w.every(ctx, c, f) })
		if err != nil {
			return m, err
		}
		m.every = append(m.every, p)
	}
	u, err = c.minter.usage()
	m.peak = u.peak
	return m, err
}

// phase does something, and counts meanwhile.
func (c *cluster) phase(ctx context.Context, name string, do func() (latencies, error)) (p phase, err error) {
	before, asked, cpu := 0.0, len(c.headscale.Requests()), time.Duration(0)
	if c.minter != nil {
		if before, err = c.served(ctx); err != nil {
			return p, err
		}
		u, err := c.minter.usage()
		if err != nil {
			return p, err
		}
		cpu = u.cpu
	}
	began := time.Now()
	if p.latencies, err = do(); err != nil {
		return p, fmt.Errorf("%s: %w", name, err)
	}
	p.took = time.Since(began)
	u, err := c.minter.usage()
	if err != nil {
		return p, err
	}
	p.cpu, p.headscale = u.cpu-cpu, len(c.headscale.Requests())-asked
	after, err := c.served(ctx)
	p.requests = after - before
	say("%s: %s, %.0f requests, %d to Headscale, CPU %s%s", name, p.took.Round(time.Millisecond), p.requests, p.headscale, p.cpu, p.latencies)
	return p, err
}

// String are the latencies, for people who watch.
func (l latencies) String() string {
	if len(l.zone) == 0 {
		return ""
	}
	ms := func(q float64, all []time.Duration) time.Duration { return quantile(all, q).Round(time.Millisecond) }
	return fmt.Sprintf(", zone p50 %s p99 %s last %s, status p50 %s p99 %s last %s",
		ms(0.5, l.zone), ms(0.99, l.zone), ms(1, l.zone), ms(0.5, l.status), ms(0.99, l.status), ms(1, l.status))
}

// settle starts the minter and waits until every gateway is Ready and its zone in sync.
func (c *cluster) settle(ctx context.Context, f *fleet, o options) error {
	if err := c.startMinter(ctx, o.flags); err != nil {
		return err
	}
	const limit = 5 * time.Minute
	return await(ctx, limit, "all gateways are Ready", func(ctx context.Context) (bool, error) {
		samples, err := c.minter.metrics(ctx)
		if err != nil {
			return false, err
		}
		if n := samples.count("tailnet_gateway_dns_serial"); n < f.size {
			return false, fmt.Errorf("%d of %d", n, f.size)
		}
		return c.ready(ctx)
	})
}

// ready reports whether all gateways are what the measurement is about.
func (c *cluster) ready(ctx context.Context) (bool, error) {
	var list v1alpha1.TailnetGatewayList
	if err := c.admin.List(ctx, &list); err != nil {
		return false, err
	}
	for i := range list.Items {
		g := &list.Items[i]
		for _, t := range []string{api.ConditionReady, api.ConditionDNSReady} {
			if s := apimeta.FindStatusCondition(g.Status.Conditions, t); s == nil || s.Status != "True" {
				return false, fmt.Errorf("%s: %+v", g.Name, s)
			}
		}
	}
	return true, nil
}

// quiet waits until the minter asks the API server for nothing any more.
func (c *cluster) quiet(ctx context.Context) error {
	const window = 5 * time.Second
	before := -1.0
	for range 60 {
		now, err := c.served(ctx)
		if err != nil {
			return err
		}
		if now == before {
			return nil
		}
		before = now
		if err := sleep(ctx, window); err != nil {
			return err
		}
	}
	return errors.New("the minter does not come to rest")
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
