//go:build lab && linux

package sandbox

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

// Components end and come back one by one, and others can be put beside them.
func TestComponents(t *testing.T) {
	tr := begin(t, 1)
	name := tr.names[0]
	tr.must(name, "up", "--only=headscale")
	l := tr.find(name)
	w := labtest.New(t, l)
	ctx := t.Context()
	healthy := func(ctx context.Context) error {
		return w.Headscale().Call(ctx, http.MethodGet, "/api/v1/node", nil, nil)
	}
	for verb, end := range map[string]func(context.Context, string) error{"stop": l.StopComponent, "kill": l.KillComponent} {
		if err := end(ctx, "headscale"); err != nil {
			t.Fatal(err)
		}
		if c := component(t, l, "headscale"); c.State != "stopped" || c.Memory != 0 {
			t.Errorf("%s: %+v", verb, c)
		}
		if _, err := l.HeadscaleClient().Get(lab.HeadscaleURL + "/health"); err == nil {
			t.Errorf("%s: it answers", verb)
		}
		if err := l.StartComponent(ctx, "headscale"); err != nil {
			t.Fatal(err)
		}
		w.Await("Headscale is back", func(ctx context.Context) error {
			response, err := l.HeadscaleClient().Get(lab.HeadscaleURL + "/health")
			if err == nil {
				err = response.Body.Close()
			}
			return err
		})
		w.Await("it takes keys", healthy)
	}
	if err := l.StartComponent(ctx, "headscale"); err == nil || !strings.Contains(err.Error(), "is running") {
		t.Errorf("started twice: %v", err)
	}
	if err := l.StopComponent(ctx, "moon"); err == nil {
		t.Error("a component that is not there was stopped")
	}

	if err := l.Add(ctx, "guest", lab.Command{Args: []string{"sh", "-c", "echo here; exit 3"}}); err != nil {
		t.Fatal(err)
	}
	w.Await("the guest has ended", func(context.Context) error {
		if c := component(t, l, "guest"); c.State != "ended" {
			return fmt.Errorf("%+v", c)
		}
		return nil
	})
	if log, err := os.ReadFile(component(t, l, "guest").Log); err != nil || string(log) != "here\n" {
		t.Errorf("its log: %q, %v", log, err)
	}
	r, err := l.Run(ctx, lab.Command{Args: []string{"sh", "-c", "cat; exit 4"}, Stdin: "in", Env: []string{"X=1"}})
	if err != nil || r.Code != 4 || r.Stdout != "in" {
		t.Errorf("%+v, %v", r, err)
	}
	tr.must(name, "down")
}

func component(t *testing.T, l *lab.Lab, name string) lab.Component {
	t.Helper()
	list, err := l.Components(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(list, func(c lab.Component) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no component %s", name)
	}
	return list[i]
}
