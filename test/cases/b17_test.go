package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/kustomize"
)

// B17: client-side apply stores an object once more in an annotation, which may
// hold 256 KiB, and a function's output is cut off somewhere on its way.

const (
	maxNames  = 16384
	maxBytes  = 1 << 20
	applyable = 256 << 10
	reserved  = len("4294967295") - len("1") // of the serial, which is 1 in the first zone
)

// names gives n lines of hosts, each name of the given length without the zone.
func names(n, length int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "192.0.2.1 %s.tail.example\n", name(i, length))
	}
	return b.String()
}

func name(i, length int) string { return fmt.Sprintf("h%0*d", length-1, i) }

// line is the zone's line of such a name.
func line(i, length int) string {
	return name(i, length) + ".tail.example. 30 IN A 192.0.2.1\n"
}

// Up to the bounds all of it arrives, through kustomize, in both forms.
//
// REQ: DN-06
func TestB17Within(t *testing.T) {
	for _, c := range []struct {
		why, hosts   string
		names, width int
	}{
		{"16384 names", names(maxNames, 6), maxNames, 6},
		{"1048576 bytes", padded(names(1000, 6), maxBytes), 1000, 6},
		{"1048576 bytes and 16384 names", padded(names(maxNames, 6), maxBytes), maxNames, 6},
		{"one name on many lines", strings.Repeat("192.0.2.1 "+name(0, 6)+".tail.example\n", 30000), 1, 6},
	} {
		for form, layer := range forms {
			t.Run(c.why+"/"+form, func(t *testing.T) {
				t.Parallel()
				build := kustomize.Build(t, layer().With(hostsSource(t, c.hosts)).Write(t)).Must(t)
				objects := kustomize.Parse(t, build.Stdout).Rendered()
				if len(objects) != 9 {
					t.Errorf("%d rendered objects, want 9", len(objects))
				}
				zone := str(t, objects[coreDNS], "data[zone.db]")
				for i := range c.names {
					if !strings.Contains(zone, "\n"+line(i, c.width)) {
						t.Fatalf("no %s", name(i, c.width))
					}
				}
				const others = 3 // SOA, NS, apex
				if n := strings.Count(zone, "\n"); n != c.names+others {
					t.Errorf("%d lines of zone, want %d", n, c.names+others)
				}
			})
		}
	}
}

// padded fills a hosts source up with a comment.
func padded(hosts string, size int) string {
	return hosts + "#" + strings.Repeat("x", size-len(hosts)-1)
}

// One more than a bound is refused whole.
//
// REQ: DN-06, RN-08
func TestB17Over(t *testing.T) {
	const source = "ConfigMap/tsunaro-system/tailnet-dns-hosts data.hosts"
	for _, c := range []struct{ why, hosts, want string }{
		{"16385 names", names(maxNames+1, 6), "hosts-names " + source},
		{"16385 names on one line", "192.0.2.1" + strings.ReplaceAll(strings.ReplaceAll(names(maxNames+1, 6), "192.0.2.1", ""), "\n", ""), "hosts-names " + source},
		{"1048577 bytes", padded(names(1000, 6), maxBytes+1), "hosts-size " + source},
		{"1048577 bytes of nothing", padded("", maxBytes+1), "hosts-size " + source},
		{"both", padded(names(maxNames+1, 6), maxBytes+1), "hosts-size " + source},
	} {
		for form, layer := range forms {
			t.Run(c.why+"/"+form, func(t *testing.T) {
				t.Parallel()
				kustomize.Build(t, layer().With(hostsSource(t, c.hosts)).Write(t)).Refused(t, c.want)
			})
		}
	}
}

// The whole configuration is bounded as well, at a serial of any length: exactly at
// the bound it is rendered, and one byte more is refused.
//
// REQ: DN-06
func TestB17Config(t *testing.T) {
	data := rendered(t, transformer().With(hostsSource(t, "")))
	free := maxBytes - reserved - len(data["Corefile"]) - len(data["zone.db"])
	const width = 50
	n := free/len(line(0, width)) - 1
	last := free - n*len(line(0, width)) - (len(line(0, 2)) - 2)
	for last > 63 { // a label holds no more
		n, last = n+1, last-len(line(0, width))
	}
	var hosts strings.Builder // many names a line keep the source itself small
	for i := range n {
		if i%100 == 0 {
			hosts.WriteString("\n192.0.2.1")
		}
		hosts.WriteString(" " + name(i, width) + ".tail.example")
	}
	at := func(length int) kustomize.Layer {
		return hostsSource(t, hosts.String()+" "+strings.Repeat("z", length)+".tail.example\n")
	}
	for form, layer := range forms {
		t.Run(form, func(t *testing.T) {
			objects := kustomize.Parse(t, kustomize.Build(t, layer().With(at(last)).Write(t)).Must(t).Stdout)
			size := len(str(t, objects[coreDNS], "data.Corefile")) + len(str(t, objects[coreDNS], "data[zone.db]"))
			if size != maxBytes-reserved {
				t.Errorf("%d bytes of configuration, want %d", size, maxBytes-reserved)
			}
			kustomize.Build(t, layer().With(at(last+1)).Write(t)).Refused(t, "config-size TailnetGateway/gw1 spec.dns")
		})
	}
	// Names of extra zones count like all others.
	extra := gateway("    extraZones:\n    - zone: corp.example\n      upstreams: [\"192.0.2.2\"]\n").With(at(last))
	kustomize.Build(t, transformer().With(extra).Write(t)).Refused(t, "config-size TailnetGateway/gw1 spec.dns")
}

// Over 256 KiB a warning says to apply server-side; Argo CD is told so by the
// object itself, whatever its size.
//
// REQ: DN-06, RN-13
func TestB17ClientApply(t *testing.T) {
	const warning = "holds more than 256 KiB"
	small, large := 0, maxNames
	for large-small > 1 { // the smallest number of names that is warned of
		middle := (small + large) / 2
		if strings.Contains(render(t, kustomize.Base().With(hostsSource(t, names(middle, 6)))).Must(t).Stderr, warning) {
			large = middle
		} else {
			small = middle
		}
	}
	for n, warned := range map[int]bool{small: false, large: true} {
		for form, layer := range forms {
			t.Run(fmt.Sprintf("%s/%d", form, n), func(t *testing.T) {
				l := layer().With(hostsSource(t, names(n, 6)))
				build := kustomize.Build(t, l.Write(t)).Must(t)
				if got := strings.Contains(build.Stderr, warning); got != warned {
					t.Errorf("warned: %v, want %v:\n%s", got, warned, build.Stderr)
				}
				object := kustomize.Parse(t, build.Stdout)[coreDNS]
				if options := str(t, object, "metadata.annotations[argocd.argoproj.io/sync-options]"); !strings.Contains(options, "ServerSideApply=true") {
					t.Errorf("sync-options %s", options)
				}
				if size := jsonSize(t, object); size > applyable != warned {
					t.Errorf("%d bytes as JSON, and warned is %v", size, warned)
				}
			})
		}
	}
}

// jsonSize is what the object takes in an annotation.
func jsonSize(t *testing.T, object any) int {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(object); err != nil {
		t.Fatal(err)
	}
	return b.Len() - 1 // without the newline
}
