package cases

import (
	"maps"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/test/kustomize"
)

// B07: tools trim blanks at line ends, add or drop final newlines, and stumble over
// a byte order mark or CRLF; what was meant, and its hash, changes.

const byteOrderMark = "\ufeff"

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// A byte order mark and CRLF mean nothing: the same bytes come out.
//
// REQ: RN-01
func TestB07Layout(t *testing.T) {
	list := resourceList(strings.Replace(config, "  inputs: [tailnet.yaml, gateway.yaml]", "  emit: Resources", 1),
		kustomize.Base()["tailnet.yaml"], kustomize.Base()["gateway.yaml"], kustomize.Base()["hosts.yaml"])
	want := run(t, nil, list).Must(t).Stdout
	if n := len(kustomize.List(t, want)); n != 9 {
		t.Fatalf("%d objects, want 9", n)
	}
	for why, text := range map[string]string{
		"byte order mark": byteOrderMark + list, "CRLF": crlf(list), "both": byteOrderMark + crlf(list),
	} {
		t.Run(why, func(t *testing.T) {
			got := run(t, nil, text).Must(t).Stdout
			if got != want {
				t.Errorf("other bytes than of the plain list:\n%s", got)
			}
		})
	}
	// So in files, of which an editor may have changed just one.
	plain := render(t, kustomize.Base()).Must(t).Stdout
	for name, text := range kustomize.Base() {
		t.Run(name, func(t *testing.T) {
			changed := kustomize.Base().With(kustomize.Layer{name: byteOrderMark + crlf(text)})
			if got := render(t, changed).Must(t).Stdout; got != plain {
				t.Errorf("other bytes than of the plain file:\n%s", got)
			}
			for form, layer := range forms {
				l := layer()
				want := kustomize.Build(t, l.Write(t)).Must(t).Stdout
				got := kustomize.Build(t, l.With(kustomize.Layer{name: crlf(text)}).Write(t)).Must(t).Stdout
				if got != want {
					t.Errorf("%s: other bytes than of the plain file", form)
				}
			}
		})
	}
}

// hostsLayouts are one hosts source as different tools leave it.
var hostsLayouts = map[string]string{
	"plain":              "192.0.2.8 printer.tail.example\n192.0.2.9 scanner.tail.example\n",
	"blanks at the ends": "192.0.2.8 printer.tail.example  \n192.0.2.9 scanner.tail.example \t\n",
	"no final newline":   "192.0.2.8 printer.tail.example\n192.0.2.9 scanner.tail.example",
	"tabs and comments":  "# ours\n192.0.2.8\tprinter.tail.example\t# upstairs\n\n\t192.0.2.9 scanner.tail.example\n",
	"CRLF and mark":      byteOrderMark + "192.0.2.8 printer.tail.example\r\n192.0.2.9 scanner.tail.example\r\n",
	"empty lines":        "\n\n192.0.2.8 printer.tail.example\n\n\n192.0.2.9 scanner.tail.example\n\n\n",
}

// Whatever the hosts source looks like, data and hash are the same; they are what
// the renderer made, byte for byte, after kustomize has written them its own way;
// and no tool can trim anything off them.
//
// REQ: RN-01, DN-10
func TestB07Bytes(t *testing.T) {
	extra := gateway("    extraZones:\n    - zone: corp.example\n      upstreams: [\"192.0.2.2\"]\n")
	var first any
	for why, text := range hostsLayouts {
		t.Run(why, func(t *testing.T) {
			files := extra.With(hostsSource(t, text+"\n192.0.2.10 intra.corp.example"))
			want := rendered(t, transformer().With(files))
			for form, layer := range forms {
				got := kustomize.Parse(t, kustomize.Build(t, layer().With(files).Write(t)).Must(t).Stdout)[coreDNS]
				data, _ := kustomize.At(got, "data")
				have := map[string]string{}
				for key, value := range data.(map[string]any) {
					have[key] = value.(string)
				}
				if !maps.Equal(have, want) {
					t.Errorf("%s: kustomize's data differ from the renderer's:\n%q\nwant\n%q", form, have, want)
				}
				hash := str(t, got, "metadata.annotations[tsunaro.io/dns-content-sha256]")
				if first == nil {
					first = hash
				}
				if hash != first {
					t.Errorf("%s: hash %s, want %v", form, hash, first)
				}
			}
			if len(want) != 3 {
				t.Errorf("%d data keys, want Corefile, zone.db and hosts", len(want))
			}
		})
	}
}

// hostsSource is hosts.yaml with this text as its data.
func hostsSource(t testing.TB, text string) kustomize.Layer {
	t.Helper()
	quoted, err := yaml.Marshal(map[string]map[string]string{"data": {"hosts": text}})
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(kustomize.Base()["hosts.yaml"], "\ndata:")
	return kustomize.Layer{"hosts.yaml": head + "\n" + string(quoted)}
}

// rendered is the data of the CoreDNS ConfigMap as the renderer itself gives it.
func rendered(t testing.TB, l kustomize.Layer) map[string]string {
	t.Helper()
	var docs []document.Document
	for _, name := range []string{"tailnet.yaml", "gateway.yaml", "egress.yaml", "hosts.yaml"} {
		d, findings := document.Parse(name, []byte(l[name]))
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		docs = append(docs, d...)
	}
	out, err := renderer.Render(docs)
	if err != nil {
		t.Fatal(err)
	}
	return out.Gateways[0].Zone.ConfigMap(1)
}

// No line of any rendered text ends in a blank, and every text of several lines
// ends with a newline.
//
// REQ: RN-01
func TestB07NothingToTrim(t *testing.T) {
	files := gateway("    extraZones:\n    - zone: corp.example\n      upstreams: [\"192.0.2.2\"]\n").
		With(hostsSource(t, "192.0.2.8 printer.tail.example \r\n192.0.2.10 intra.corp.example\t"))
	texts := 0
	for name, o := range kustomize.Parse(t, render(t, kustomize.Base().With(files)).Must(t).Stdout) {
		walk(o, func(text string) {
			if strings.ContainsAny(text, "\r") {
				t.Errorf("%s: a CR in %q", name, text)
			}
			if !strings.Contains(text, "\n") {
				if strings.TrimSpace(text) != text {
					t.Errorf("%s: blanks around %q", name, text)
				}
				return
			}
			texts++
			if !strings.HasSuffix(text, "\n") || strings.HasSuffix(text, "\n\n") {
				t.Errorf("%s: %q does not end with one newline", name, text)
			}
			for line := range strings.Lines(text) {
				if strings.TrimRight(line, " \t\n")+"\n" != line {
					t.Errorf("%s: blanks at the end of %q", name, line)
				}
			}
		})
	}
	if texts < 4 { // Corefile, zone.db, hosts and the preflight script
		t.Errorf("%d texts of several lines, want at least 4", texts)
	}
}

// walk calls f with every text of an object.
func walk(v any, f func(string)) {
	switch v := v.(type) {
	case string:
		f(v)
	case map[string]any:
		for key, value := range v {
			f(key)
			walk(value, f)
		}
	case []any:
		for _, value := range v {
			walk(value, f)
		}
	}
}
