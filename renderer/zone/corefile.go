package zone

import (
	"slices"
	"strings"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/model"
)

// corefile serves the primary zone from zone.db and forwards the extra zones
// (DN-01, DN-07, DN-11). Its paths are relative: CoreDNS runs in the directory.
// Names outside every block are refused by CoreDNS.
func corefile(dns model.DNS) string {
	var b strings.Builder
	block(&b, dns.Zone,
		"file "+api.DataZone+" "+string(dns.Zone)+" {",
		"    reload 1s",
		"}")
	extra := slices.SortedFunc(slices.Values(dns.ExtraZones), func(a, b model.ExtraZone) int { return a.Zone.Compare(b.Zone) })
	for _, e := range extra {
		forward := "forward ."
		for _, u := range e.Upstreams {
			forward += " " + u.String()
		}
		block(&b, e.Zone,
			"hosts "+api.DataHosts+" "+string(e.Zone)+" {",
			"    fallthrough",
			"}",
			"cache 30",
			forward+" {",
			"    max_concurrent 1000",
			"}")
	}
	return b.String()
}

func block(b *strings.Builder, zone model.Name, lines ...string) {
	b.WriteString(string(zone) + ":53 {\n")
	for _, l := range slices.Concat([]string{"bind 0.0.0.0", "errors"}, lines, []string{"prometheus :9153", "reload"}) {
		b.WriteString("    " + l + "\n")
	}
	b.WriteString("}\n")
}
