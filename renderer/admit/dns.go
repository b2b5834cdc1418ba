package admit

import (
	"net/netip"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/rules"
)

func dns(v document.Value, g model.Gateway) model.DNS {
	o, ok := v.Object()
	if !ok {
		return model.DNS{}
	}
	defer o.Close()
	d := model.DNS{Zone: zoneName(o.Get("zone"))}
	service := o.Get("serviceName")
	d.ServiceName = text(service, 0, rules.ServiceName, func(s string) bool { return model.DNS1035(s, api.MaxLabel) })
	if d.ServiceName != "" && (d.ServiceName == g.Name || d.ServiceName == api.LBServiceName(g.Name)) {
		service.Report(rules.ServiceNameTaken, "")
	}
	cluster := o.Get("clusterIP")
	if d.ClusterIP, ok = ipv4(cluster); ok && d.ClusterIP == g.LoadBalancer {
		cluster.Report(rules.AddressesDiffer, "")
	}
	d.Records = records(o.Get("records"), d.Zone)
	d.ExtraZones = extraZones(o.Get("extraZones"), d.Zone, [2]netip.Addr{g.LoadBalancer, d.ClusterIP})
	return d
}

func zoneName(v document.Value) model.Name {
	return model.Name(text(v, 0, rules.ZoneName, func(s string) bool {
		_, ok := model.ParseName(s)
		return ok
	}))
}

func records(v document.Value, zone model.Name) []model.Record {
	seen := unique[model.Name]{}
	var records []model.Record
	for _, r := range list(v, 0, api.MaxRecords) {
		o, ok := r.Object()
		if !ok {
			continue
		}
		addresses := unicastList(o.Get("addresses"), api.MaxRecordAddresses, rules.IPUnicast)
		name := o.Get("name")
		if n, ok := recordName(name, zone); ok && seen.add(n, name, rules.RecordDuplicate) {
			records = append(records, model.Record{Name: n, Addresses: addresses})
		}
		o.Close()
	}
	return records
}

// recordName reads a record's name as an absolute one. Without a valid zone
// only its syntax can be judged.
func recordName(v document.Value, zone model.Name) (model.Name, bool) {
	s, ok := v.Str()
	if !ok {
		return "", false
	}
	n, syntax, inside := model.ParseRecordName(s, zone)
	switch {
	case !syntax:
		v.Report(rules.RecordName, "")
	case zone == "":
		return "", false
	case !inside:
		v.Report(rules.RecordOutside, "")
	case n == zone:
		v.Report(rules.RecordApex, "")
	default:
		return n, true
	}
	return "", false
}

func extraZones(v document.Value, primary model.Name, own [2]netip.Addr) []model.ExtraZone {
	zones := []model.Name{}
	if primary != "" {
		zones = append(zones, primary)
	}
	var extra []model.ExtraZone
	for _, e := range list(v, 0, api.MaxExtraZones) {
		o, ok := e.Object()
		if !ok {
			continue
		}
		z := o.Get("zone")
		n := zoneName(z)
		if n != "" {
			if overlaps(n, zones) {
				z.Report(rules.ExtraZoneOverlap, "")
			}
			zones = append(zones, n)
		}
		extra = append(extra, model.ExtraZone{Zone: n, Upstreams: upstreams(o.Get("upstreams"), own)})
		o.Close()
	}
	return extra
}

func overlaps(n model.Name, zones []model.Name) bool {
	for _, z := range zones {
		if n.In(z) || z.In(n) {
			return true
		}
	}
	return false
}

func upstreams(v document.Value, own [2]netip.Addr) []netip.Addr {
	seen := unique[netip.Addr]{}
	var addrs []netip.Addr
	for _, u := range list(v, 1, api.MaxUpstreams) {
		a, ok := unicast(u, rules.IPUnicast)
		if !ok {
			continue
		}
		if a == own[0] || a == own[1] {
			u.Report(rules.UpstreamSelf, "")
		}
		if seen.add(a, u, rules.UpstreamDuplicate) {
			addrs = append(addrs, a)
		}
	}
	return addrs
}

// unicastList reads one to most canonical unicast addresses of either family.
func unicastList(v document.Value, most int, id rules.ID) []netip.Addr {
	var addrs []netip.Addr
	for _, e := range list(v, 1, most) {
		if a, ok := unicast(e, id); ok {
			addrs = append(addrs, a)
		}
	}
	return addrs
}

func unicast(v document.Value, id rules.ID) (netip.Addr, bool) {
	s, ok := v.Str()
	if !ok {
		return netip.Addr{}, false
	}
	a, ok := model.ParseUnicast(s)
	if !ok {
		v.Report(id, "")
	}
	return a, ok
}
