package deploy

import (
	"net"
	"strconv"
	"testing"

	"github.com/spf13/pflag"

	"tsunaro.io/gateway/minter/controller"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/page"
)

// flags are the minter's own, where nothing but the command line says anything.
func flags(t *testing.T) *pflag.FlagSet {
	t.Helper()
	t.Setenv("RUNTIME_NAMESPACE", "")
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(controller.Options).BindFlags(set)
	return set
}

// The page has every flag, as the minter itself explains it.
func TestDocsFlags(t *testing.T) {
	text := page.Row("Flag", "Default", "What it is") + "|---|---|---|\n"
	flags(t).VisitAll(func(f *pflag.Flag) {
		value := "`" + f.DefValue + "`"
		if f.DefValue == "" {
			value = ""
		}
		text += page.Row("`--"+f.Name+"`", value, f.Usage)
	})
	docs.Written(t, "flags", text)
}

// The Deployment says what the minter understands: its arguments, the namespace,
// and the ports that its probes and whoever collects metrics go to.
func TestArguments(t *testing.T) {
	c := deployment(t).Spec.Template.Spec.Containers[0]
	set := flags(t)
	if err := set.Parse(c.Args); err != nil || set.NArg() > 0 {
		t.Errorf("arguments %v: %v", c.Args, err)
	}
	for name, flag := range map[string]string{"metrics": "metrics-addr", "probes": "health-addr"} {
		_, port, err := net.SplitHostPort(set.Lookup(flag).Value.String())
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, p := range c.Ports {
			found = found || p.Name == name && strconv.Itoa(int(p.ContainerPort)) == port
		}
		if !found {
			t.Errorf("no port %s %s: %+v", name, port, c.Ports)
		}
	}
	for path, probe := range map[string]string{"/healthz": c.LivenessProbe.HTTPGet.Path, "/readyz": c.ReadinessProbe.HTTPGet.Path} {
		if path != probe {
			t.Errorf("a probe asks for %s, want %s", probe, path)
		}
	}
	if got := set.Lookup("namespace").DefValue; got != api.DefaultOperatorNamespace {
		t.Errorf("the namespace is %q without a variable", got)
	}
	t.Setenv(c.Env[0].Name, "gateways")
	set = pflag.NewFlagSet("", pflag.ContinueOnError)
	new(controller.Options).BindFlags(set)
	if got := set.Lookup("namespace").DefValue; got != "gateways" {
		t.Errorf("the minter takes %q for its namespace", got)
	}
}
