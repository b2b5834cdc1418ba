package cases

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// B01: text that looks like a number, a date or a word of YAML comes out as
// something else; unquoted, kustomize itself turns it into a number before the
// function sees it.

// quoted are such texts that a label may hold; as a label value each must arrive
// as it was written.
var quoted = []string{
	"0777", "1e3", "0x1F", "1_000", "0o17", "0b11", "1.50", "12e03", "007", "on", "off", "yes", "no", "y", "n",
	"true", "False", "null", "Null", "NaN", "2026-11-29", "1.2.3", "0", "",
}

// No API server takes these for label values, quoted or not.
var noLabels = []string{"~", "=", ".inf", "-1", "+1", "12:30:45", "a b", "1e+3"}

// bare are values that are no strings. kustomize may have rewritten them already.
var bare = []string{"0777", "1e3", "0x1F", "1_000", "1.50", "true", "False", "null", "~", "", "[a]", "{a: b}"}

// REQ: RN-04
func TestB01Quoted(t *testing.T) {
	spec, want := "  pod:\n    nodeSelector:\n", map[string]string{}
	for i, text := range quoted {
		key := fmt.Sprintf("example.net/k%d", i)
		spec += fmt.Sprintf("      %s: %q\n", key, text)
		want[key] = text
	}
	pool := strings.Replace(strings.TrimPrefix(spec, "  pod:\n    nodeSelector:\n"), "      ", "    ", -1)
	files := kustomize.Layer{"gateway.yaml": strings.Replace(kustomize.Base()["gateway.yaml"]+spec, "    lb-pool: lan\n", pool, 1)}
	for form, layer := range forms {
		t.Run(form, func(t *testing.T) {
			dir := layer().With(files).Write(t)
			build := kustomize.Build(t, dir).Must(t)
			if again := kustomize.Build(t, dir).Must(t); again.Stdout != build.Stdout {
				t.Error("a second build gives other bytes")
			}
			kustomize.Check(t, build.Stdout, dir).Must(t)
			for name, o := range kustomize.Parse(t, build.Stdout).Rendered() {
				labels, _ := kustomize.At(o, "metadata.labels")
				got := ours(labels)
				if name == lb {
					if !maps.Equal(got, want) {
						t.Errorf("pool labels %v, want %v", got, want)
					}
					keys := strings.Split(str(t, o, "metadata.annotations[tsunaro.io/pool-label-keys]"), ",")
					if !slices.Equal(keys, slices.Sorted(maps.Keys(want))) {
						t.Errorf("recorded keys %v", keys)
					}
				} else if len(got) > 0 {
					t.Errorf("%s has the pool labels %v", name, got)
				}
				if name == statefulSet {
					selector, _ := kustomize.At(o, "spec.template.spec.nodeSelector")
					if got := ours(selector); !maps.Equal(got, want) {
						t.Errorf("node selector %v, want %v", got, want)
					}
				}
			}
		})
	}
}

func ours(labels any) map[string]string {
	out := map[string]string{}
	for key, value := range labels.(map[string]any) {
		if strings.HasPrefix(key, "example.net/") {
			out[key], _ = value.(string)
		}
	}
	return out
}

// Text that no label may hold is refused here, not by an API server at the end.
//
// REQ: RN-04
func TestB01NoLabel(t *testing.T) {
	for _, text := range noLabels {
		files := edited(t, "gateway.yaml", "lb-pool: lan", fmt.Sprintf("lb-pool: %q", text))
		for form, layer := range forms {
			t.Run(form+"/"+text, func(t *testing.T) {
				kustomize.Build(t, layer().With(files).Write(t)).Refused(t, "label-value TailnetGateway/gw1 spec.poolLabels[lb-pool]")
			})
		}
	}
}

// A value that is no string fails the render, naming its key, wherever the API
// has strings of the user's choice.
//
// REQ: RN-04, RN-08
func TestB01Bare(t *testing.T) {
	for _, text := range bare {
		for form, layer := range forms {
			t.Run(form+"/"+text, func(t *testing.T) {
				files := edited(t, "gateway.yaml", "    lb-pool: lan\n", "    lb-pool: "+text+"\n    other: lan\n")
				files["gateway.yaml"] += "  pod:\n    nodeSelector:\n      disk: " + text + "\n"
				kustomize.Build(t, layer().With(files).Write(t)).Refused(t,
					"string-type TailnetGateway/gw1 spec.poolLabels[lb-pool]",
					"string-type TailnetGateway/gw1 spec.pod.nodeSelector[disk]")
			})
		}
	}
}

// The same in every other field that holds text.
//
// REQ: RN-08
func TestB01Fields(t *testing.T) {
	for _, c := range []struct{ old, text, path string }{
		{`["tag:gateway"]`, "[0777]", "spec.tags[0]"},
		{`["192.0.2.0/24"]`, "[1e3]", "spec.routes.lan[0]"},
		{"tailnetLBCIDR: 198.51.100.0/24", "tailnetLBCIDR: 10", "spec.tailnetLBCIDR"},
		{"loadBalancerIP: 198.51.100.53", "loadBalancerIP: 10.5", "spec.loadBalancerIP"},
		{"zone: tail.example", "zone: 1_000", "spec.dns.zone"},
		{"serviceName: gw1-dns", "serviceName: true", "spec.dns.serviceName"},
		{"clusterIP: 10.96.0.53", "clusterIP: 10.96", "spec.dns.clusterIP"},
		{"    name: home", "    name: 1e3", "spec.tailnetRef.name"},
		{"  tags:", "  hostname: 0777\n  tags:", "spec.hostname"},
		{"  tags:", "  images: {tailscale: 1.102}\n  tags:", "spec.images.tailscale"},
		{"  tags:", "  pod: {sysctls: [{name: net.ipv4.ip_forward, value: 1}]}\n  tags:", "spec.pod.sysctls[0].value"},
	} {
		t.Run(c.path, func(t *testing.T) {
			kustomize.Build(t, transformer().With(edited(t, "gateway.yaml", c.old, c.text)).Write(t)).
				Refused(t, "string-type TailnetGateway/gw1 "+c.path)
		})
	}
}

// What kustomize cannot carry it refuses, and of a date it makes a time; the
// plain command sees all of them as they were written.
//
// REQ: RN-04, RN-08
func TestB01Rewritten(t *testing.T) {
	for _, c := range []struct {
		line      string
		kustomize []string // nothing: kustomize itself refuses
		plain     string
	}{
		{"lb-pool: 2026-11-29", []string{"label-value TailnetGateway/gw1 spec.poolLabels[lb-pool]"}, "string-type TailnetGateway/gw1 spec.poolLabels[lb-pool]"},
		{"lb-pool: .inf", nil, "string-type TailnetGateway/gw1 spec.poolLabels[lb-pool]"},
		{"0777: lan", nil, "string-type TailnetGateway/gw1 spec.poolLabels[0777]"},
	} {
		t.Run(c.line, func(t *testing.T) {
			l := transformer().With(edited(t, "gateway.yaml", "lb-pool: lan", c.line))
			kustomize.Build(t, l.Write(t)).Refused(t, c.kustomize...)
			render(t, l).Refused(t, c.plain)
		})
	}
}
