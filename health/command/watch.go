package command

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"tsunaro.io/gateway/health/view"
	"tsunaro.io/gateway/internal/commandline"
)

// follow writes the status, and from then on what changes: lines for people, whole
// documents for programs. It ends without an error when the context does. An API
// server that does not answer is said once, and asked again.
func (o *status) follow(ctx context.Context, s commandline.Streams) error {
	before, err := o.read(ctx)
	if err != nil {
		return err
	}
	if err := o.write(s.Out, before); err != nil {
		return err
	}
	tick := time.NewTicker(max(o.interval, 10*time.Millisecond))
	defer tick.Stop()
	for failing := false; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		after, err := o.read(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			if !failing {
				fmt.Fprintln(s.Err, name+":", err)
			}
			failing = true
			continue
		}
		failing = false
		if err := o.changed(s.Out, before, after); err != nil {
			return err
		}
		before = after
	}
}

// changed writes what has changed from one reading to the next.
func (o *status) changed(out io.Writer, before, after []view.Gateway) error {
	find := func(list []view.Gateway, name string) int {
		return slices.IndexFunc(list, func(g view.Gateway) bool { return g.Name == name })
	}
	var text string
	for _, g := range after {
		was := view.Gateway{Name: g.Name}
		if i := find(before, g.Name); i >= 0 {
			was = before[i]
		}
		text += view.ChangesText(g.Name, view.Changes(was, g), o.look)
	}
	for _, g := range before {
		if find(after, g.Name) < 0 {
			text += view.ChangesText(g.Name, []view.Change{{What: "gateway", Was: g.Health}}, o.look)
		}
	}
	switch {
	case text == "":
		return nil
	case o.output == "yaml":
		fmt.Fprintln(out, "---")
		return o.write(out, after)
	case o.output == "json":
		return o.write(out, after)
	}
	_, err := io.WriteString(out, text)
	return err
}
