//go:build linux

// Command idle measures what a minter with many completed gateways costs while
// nothing happens, and how long it takes until a change of the hosts source is in the
// live zones. It writes its section of docs/performance.md, and is run in the root of
// the source tree (make bench-idle).
//
// API server, etcd, policies and the minter's program are the real ones. Headscale is
// test/testbed/headscaledouble, which counts. The gateways are made by
// test/testbed/completed: there is no node.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"

	"tsunaro.io/gateway/test/bench/section"
)

// options are how much is measured.
type options struct {
	gateways int
	names    int           // in the hosts source, for each gateway
	idle     time.Duration // how long nothing happens
	single   int           // changes that affect one zone
	all      int           // changes that affect all
	flags    string        // of the minter, beside those of its manifest
	file     string        // that the section is written to; empty for none
}

func main() {
	var o options
	flag.IntVar(&o.gateways, "gateways", 1000, "completed gateways of one Tailnet")
	flag.IntVar(&o.names, "names", 3, "names in the hosts source for each gateway")
	flag.DurationVar(&o.idle, "idle", time.Minute, "how long nothing happens")
	flag.IntVar(&o.single, "single", 200, "changes that affect one zone")
	flag.IntVar(&o.all, "all", 3, "changes that affect every zone")
	flag.StringVar(&o.flags, "minter", "", "further flags of the minter, separated by spaces")
	flag.StringVar(&o.file, "write", "docs/performance.md", "page with the section to write; empty to print it")
	flag.Parse()
	ctrl.SetLogger(logr.Discard())
	if err := run(context.Background(), o); err != nil {
		fmt.Fprintln(os.Stderr, "idle:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	c, err := start(ctx)
	if err != nil {
		return err
	}
	defer c.stop()
	say("making %d gateways", o.gateways)
	f, err := c.populate(ctx, o)
	if err != nil {
		return err
	}
	if err := c.install(ctx); err != nil {
		return err
	}
	m, err := measure(ctx, c, f, o)
	if err != nil {
		return err
	}
	text, err := m.section()
	if err != nil {
		return err
	}
	if o.file == "" {
		fmt.Print(text)
		return nil
	}
	page, err := os.ReadFile(o.file)
	if err != nil {
		return err
	}
	next, err := section.Replace(string(page), "idle", text)
	if err != nil {
		return err
	}
	return os.WriteFile(o.file, []byte(next), 0o644)
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// await polls until a condition holds.
func await(ctx context.Context, limit time.Duration, what string, holds func(context.Context) (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	var last error
	for {
		ok, err := holds(ctx)
		if ok {
			return nil
		}
		if err != nil {
			last = err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("waited in vain until %s: %w", what, last)
		}
	}
}
