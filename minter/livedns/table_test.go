package livedns_test

import (
	"maps"
	"math"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/minter/livedns"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// row is one line of the truth table: what happens to a zone in sync, and what is
// decided then. said is object, key, rule and path of the message, serial that of
// the swap, 0 for none.
type row struct {
	why    string
	change func(*livedns.World)
	reason string
	said   string
	serial string
}

func source(text string) func(*livedns.World) {
	return func(w *livedns.World) { render(w, hosts(text)) }
}

func spec(change func(*v1alpha1.TailnetGatewaySpec)) func(*livedns.World) {
	return func(w *livedns.World) {
		change(&gatewayIn(w).Spec)
		render(w, hosts(seedText))
	}
}

func live(change func(*corev1.ConfigMap)) func(*livedns.World) {
	return func(w *livedns.World) { change(liveIn(w)) }
}

func fresh(change func(*observe.Completion)) func(*livedns.World) {
	return func(w *livedns.World) { edit(&w.Fresh, change) }
}

func all(changes ...func(*livedns.World)) func(*livedns.World) {
	return func(w *livedns.World) {
		for _, c := range changes {
			c(w)
		}
	}
}

func serial(n string) func(*livedns.World) {
	return live(func(c *corev1.ConfigMap) { c.Annotations[api.AnnotationDNSSerial] = n })
}

const (
	annotations = " metadata.annotations[tsunaro.io/dns-serial]"
	change      = "192.168.10.9 app.lab.example\n"
)

// What follows the sources, and by how much.
//
// REQ: DL-01, DL-05, DL-08, DN-10 (B36, B38, B42)
var followRows = []row{
	{"nothing has changed", func(*livedns.World) {}, "DNSInSync", "", ""},
	{"cosmetically", source("# note\r\n192.168.10.8\tAPP.lab.example.   # same\r\n"), "DNSInSync", "", ""},
	{"a byte order mark, and no line feed at the end", source("\ufeff192.168.10.8 app.lab.example"), "DNSInSync", "", ""},
	{"a name outside the zones", source(seedText + "127.0.0.1 localhost\n"), "DNSInSync", "", ""},
	{"another address", source(change), "DNSNotCompared", coreDNS, "2"},
	{"a name more", source(seedText + "192.168.10.9 b.lab.example\n"), "DNSNotCompared", coreDNS, "2"},
	{"a name less", source(""), "DNSNotCompared", coreDNS, "2"},
	{"a name in an extra zone", source(seedText + "192.168.10.9 wiki.corp.example\n"), "DNSNotCompared", coreDNS, "2"},
	{"a name of 253 characters", source(seedText + "192.168.10.9 " + long(253) + "\n"), "DNSNotCompared", coreDNS, "2"},
	{"a name of 254 characters", source(seedText + "192.168.10.9 " + long(254) + "\n"), "HostsRefused", hostsName + " hosts-name data.hosts:2", ""},
	{"a static record", spec(func(s *v1alpha1.TailnetGatewaySpec) { s.DNS.Records[0].Addresses[0] = "192.168.10.70" }), "DNSNotCompared", coreDNS, "2"},
	{"a static record that hosts replace", spec(func(s *v1alpha1.TailnetGatewaySpec) {
		s.DNS.Records = append(s.DNS.Records, v1alpha1.Record{Name: "app", Addresses: []v1alpha1.Address{"192.168.10.1"}})
	}), "DNSInSync", "", ""},
	{"routes and images", spec(func(s *v1alpha1.TailnetGatewaySpec) {
		s.Routes.LAN, s.Images.CoreDNS = append(s.Routes.LAN, "10.1.0.0/16"), "registry.k8s.io/coredns/coredns:v1.14.7"
	}), "DNSInSync", "", ""},
	{"the seed of Git was another", func(w *livedns.World) { at(w, change, 1) }, "DNSNotCompared", coreDNS, "2"},
	{"much later", all(func(w *livedns.World) { at(w, seedText, 4711) }, source(change)), "DNSNotCompared", coreDNS, "4712"},
	{"and back again", func(w *livedns.World) { at(w, change, 4712) }, "DNSNotCompared", coreDNS, "4713"},
	{"the last serial, in sync", func(w *livedns.World) { at(w, seedText, math.MaxUint32) }, "DNSInSync", "", ""},
	{"the last serial, and a change", func(w *livedns.World) { at(w, change, math.MaxUint32) }, "DNSSerialExhausted", coreDNS, ""},
	{"one before", func(w *livedns.World) { at(w, change, math.MaxUint32-1) }, "DNSNotCompared", coreDNS, "4294967295"},
	{"the Corefile of another version", live(func(c *corev1.ConfigMap) { c.Data["Corefile"] += "# old\n" }), "DNSNotCompared", coreDNS, "1"},
	{"two conflicts", all(source(change), func(w *livedns.World) { w.Conflicts = 2 }), "DNSNotCompared", coreDNS, "2"},
	// REQ: DL-02
	{"three", all(source(change), func(w *livedns.World) { w.Conflicts = 3 }), "DNSUpdateConflict", coreDNS, ""},
	{"somebody else has settled it meanwhile", func(w *livedns.World) { w.Conflicts = 3 }, "DNSInSync", "", ""},
	{"metadata of others", live(func(c *corev1.ConfigMap) { c.Labels["a"], c.Annotations["b"], c.Finalizers = "1", "2", []string{"x/y"} }), "DNSInSync", "", ""},
}

// long is a name of a length, within the zone.
func long(n int) string {
	const end = ".lab.example"
	rest := n - len(end)
	var labels []string
	for rest > 0 {
		l := min(rest, 63)
		if rest-l == 1 { // not a dot alone
			l--
		}
		labels = append(labels, strings.Repeat("a", l))
		rest -= l + 1
	}
	return strings.Join(labels, ".") + end
}

// Where the zone is left alone.
//
// REQ: DL-03, DL-04, DL-06, DL-08, DL-09, LC-16
var aloneRows = []row{
	{"not complete", func(w *livedns.World) { w.Fresh = observe.Absent[observe.Completion]() }, "DNSUpdateBlocked", coreDNS, ""},
	{"unknown whether", func(w *livedns.World) { w.Fresh = observe.Unknown[observe.Completion](observe.Denied) }, "EvidenceUnavailable", "ConfigMap/tsunaro-system/lab-gw-fresh", ""},
	{"the receipt is somebody else's", fresh(func(c *observe.Completion) { c.Labels = nil }), "DNSUpdateBlocked", coreDNS, ""},
	{"unreadable", fresh(func(c *observe.Completion) { c.Err = receipt.ErrCompletion }), "DNSUpdateBlocked", coreDNS, ""},
	{"under the former rule", fresh(func(c *observe.Completion) { c.Receipt.Rule = receipt.RuleV010 }), "DNSUpdateBlocked", coreDNS, ""},
	{"going", fresh(func(c *observe.Completion) { c.Deleting = true }), "DNSUpdateBlocked", coreDNS, ""},
	{"to be changed", fresh(func(c *observe.Completion) { c.Immutable = false }), "DNSUpdateBlocked", coreDNS, ""},
	{"about another gateway", fresh(func(c *observe.Completion) { c.Receipt.Gateway.UID = uid(9) }), "DNSUpdateBlocked", coreDNS, ""},
	{"of another name", fresh(func(c *observe.Completion) { c.Receipt.Gateway.Name = "other" }), "DNSUpdateBlocked", coreDNS, ""},
	{"without a ConfigMap", fresh(func(c *observe.Completion) { c.Receipt.Objects = nil }), "DNSUpdateBlocked", coreDNS + " metadata.uid", ""},

	{"gone", func(w *livedns.World) { w.Live = observe.Absent[*corev1.ConfigMap]() }, "DNSUpdateBlocked", coreDNS, ""},
	{"unknown", func(w *livedns.World) { w.Live = observe.Unknown[*corev1.ConfigMap](observe.Denied) }, "EvidenceUnavailable", coreDNS, ""},
	{"replaced", live(func(c *corev1.ConfigMap) { c.UID = "other" }), "DNSUpdateBlocked", coreDNS + " metadata.uid", ""},
	{"being deleted", live(func(c *corev1.ConfigMap) { c.DeletionTimestamp = &metav1.Time{} }), "DNSUpdateBlocked", coreDNS + " metadata.deletionTimestamp", ""},
	{"immutable", live(func(c *corev1.ConfigMap) { on := true; c.Immutable = &on }), "DNSUpdateBlocked", coreDNS + " immutable", ""},
	{"another key", live(func(c *corev1.ConfigMap) { c.Data["extra"] = "x" }), "DNSUpdateBlocked", coreDNS + " data.extra", ""},
	{"another key of binary data", live(func(c *corev1.ConfigMap) { c.BinaryData = map[string][]byte{"extra": {1}} }), "DNSUpdateBlocked", coreDNS + " binaryData", ""},
	{"another label of ours", live(func(c *corev1.ConfigMap) { c.Labels[api.LabelStateUID] = uid(9) }), "DNSUpdateBlocked", coreDNS + " metadata.labels[tsunaro.io/state-uid]", ""},
	{"a drift that no rendering tells", all(live(func(c *corev1.ConfigMap) { c.Data["extra"] = "x" }),
		func(w *livedns.World) { w.Render = observe.Unknown[observe.Render](observe.Denied) }), "DNSUpdateBlocked", coreDNS + " data", ""},
	{"a drift from the receipt alone", fresh(func(c *observe.Completion) {
		c.Receipt.Objects = append(c.Receipt.Objects[:3:3], receipt.Object{Kind: "ConfigMap", Name: "lab-gw-coredns", UID: uid(13), Digest: strings.Repeat("b", 64)})
	}), "DNSUpdateBlocked", coreDNS + " data", ""},
	{"a drift, and no state that could be bound", all(live(func(c *corev1.ConfigMap) { c.Data["extra"] = "x" }),
		fresh(func(c *observe.Completion) { c.Receipt.State.UID = "" })), "DNSUpdateBlocked", coreDNS + " data", ""},

	{"no annotations", live(func(c *corev1.ConfigMap) { c.Annotations = nil }), "DNSUpdateBlocked", coreDNS + " metadata.annotations[tsunaro.io/render-format]", ""},
	{"no serial", live(func(c *corev1.ConfigMap) { delete(c.Annotations, api.AnnotationDNSSerial) }), "DNSUpdateBlocked", coreDNS + annotations, ""},
	{"no hash", live(func(c *corev1.ConfigMap) { delete(c.Annotations, api.AnnotationDNSHash) }), "DNSUpdateBlocked", coreDNS + annotations, ""},
	{"another serial", serial("2"), "DNSUpdateBlocked", coreDNS + annotations, ""},
	{"serial 0", serial("0"), "DNSUpdateBlocked", coreDNS + annotations, ""},
	{"a serial in another spelling", serial("01"), "DNSUpdateBlocked", coreDNS + annotations, ""},
	{"beyond all serials", serial("4294967296"), "DNSUpdateBlocked", coreDNS + annotations, ""},
	{"another zone.db", live(func(c *corev1.ConfigMap) { c.Data["zone.db"] += "x.lab.example. 30 IN A 192.168.10.1\n" }), "DNSUpdateBlocked", coreDNS + annotations, ""},
	{"another SOA", live(func(c *corev1.ConfigMap) {
		c.Data["zone.db"] = strings.Replace(c.Data["zone.db"], " 1 7200", " 2 7200", 1)
	}), "DNSUpdateBlocked", coreDNS + annotations, ""},
	{"other hosts", live(func(c *corev1.ConfigMap) { c.Data["hosts"] += "192.168.10.1 x.corp.example\n" }), "DNSUpdateBlocked", coreDNS + annotations, ""},
	{"no hosts", live(func(c *corev1.ConfigMap) { delete(c.Data, "hosts") }), "DNSUpdateBlocked", coreDNS + annotations, ""},
	{"no data", live(func(c *corev1.ConfigMap) { c.Data = nil }), "DNSUpdateBlocked", coreDNS + annotations, ""},
	// Somebody who writes consistently cannot be told from the minter, but for a
	// serial that has been live before.
	{"reset, consistently", all(func(w *livedns.World) { gatewayIn(w).Status.DNS = &v1alpha1.DNSStatus{Serial: 2} }), "DNSUpdateBlocked", coreDNS + annotations, ""},
	{"not behind what was seen", all(func(w *livedns.World) { gatewayIn(w).Status.DNS = &v1alpha1.DNSStatus{Serial: 1} }), "DNSInSync", "", ""},
}

// What is wrong with the sources. What observe renders without hosts is never
// served.
//
// REQ: DL-01, DL-08, DL-09, UP-01, LC-04
var sourceRows = []row{
	{"no hosts", func(w *livedns.World) { render(w, nil) }, "HostsMissing", hostsName + " hosts", ""},
	{"unknown hosts", func(w *livedns.World) { w.Hosts = observe.Unknown[observe.Object](observe.Denied) }, "EvidenceUnavailable", hostsName, ""},
	{"unknown egresses", func(w *livedns.World) { w.Render = observe.Unknown[observe.Render](observe.Denied) }, "EvidenceUnavailable", "TailnetEgress/tsunaro-system", ""},
	{"another key", func(w *livedns.World) {
		c := hosts("")
		c.Data = map[string]string{"other": ""}
		render(w, c)
	}, "HostsMissing", hostsName + " hosts", ""},
	{"without the Tailnet's label", func(w *livedns.World) {
		c := hosts(change)
		c.Labels = nil
		render(w, c)
	}, "HostsRefused", hostsName + " hosts-owner metadata.labels[tsunaro.io/tailnet]", ""},
	{"a bad line", source(change + "198.51.100.30\n"), "HostsRefused", hostsName + " hosts-line data.hosts:2", ""},
	{"the apex", source("192.168.10.9 lab.example\n"), "HostsRefused", hostsName + " hosts-apex data.hosts:1", ""},
	{"too long", source(strings.Repeat("#", 1<<20+1)), "HostsRefused", hostsName + " hosts-size data.hosts", ""},
	{"a spec that is refused", spec(func(s *v1alpha1.TailnetGatewaySpec) { s.Routes.LAN[0] = "fd00::/8" }), "DNSUpdateBlocked", coreDNS + " spec.routes.lan[0] of TailnetGateway/lab-gw", ""},

	{"another zone", spec(func(s *v1alpha1.TailnetGatewaySpec) { s.DNS.Zone = "other.example" }), "DNSUpdateBlocked", coreDNS + " spec.dns.zone of TailnetGateway/lab-gw", ""},
	{"another address", spec(func(s *v1alpha1.TailnetGatewaySpec) { s.LoadBalancerIP = "10.99.0.54" }), "DNSUpdateBlocked", coreDNS + " spec.loadBalancerIP of TailnetGateway/lab-gw", ""},
	{"no extra zone", spec(func(s *v1alpha1.TailnetGatewaySpec) { s.DNS.ExtraZones = nil }), "DNSUpdateBlocked", coreDNS + " spec.dns.extraZones[].zone of TailnetGateway/lab-gw", ""},
	{"another upstream", spec(func(s *v1alpha1.TailnetGatewaySpec) { s.DNS.ExtraZones[0].Upstreams[0] = "192.168.10.3" }), "DNSUpdateBlocked", coreDNS + " spec.dns.extraZones[].upstreams of TailnetGateway/lab-gw", ""},
	{"another Tailnet", func(w *livedns.World) { tailnetIn(w).UID = "other" }, "DNSUpdateBlocked", coreDNS + " metadata.uid of Tailnet/home", ""},
	{"another hosts source", func(w *livedns.World) { tailnetIn(w).Spec.DNS.HostsConfigMapRef.Name = "other" }, "DNSUpdateBlocked", coreDNS + " spec.dns.hostsConfigMapRef.name of Tailnet/home", ""},
	{"an identity that is not the zone's", spec(func(s *v1alpha1.TailnetGatewaySpec) { s.Tags[0] = "tag:other" }), "DNSInSync", "", ""},

	{"suspended", spec(func(s *v1alpha1.TailnetGatewaySpec) { s.Suspend = nil }), "Suspended", "", ""},
	{"on its way out", func(w *livedns.World) { gatewayIn(w).DeletionTimestamp = &metav1.Time{} }, "DNSNotCompared", "", ""},
	{"another minter's", func(w *livedns.World) { tailnetIn(w).Spec.OperatorNamespace = "other" }, "DNSNotCompared", "", ""},
	{"no Tailnet", func(w *livedns.World) { w.Tailnet = observe.Absent[*v1alpha1.Tailnet]() }, "DNSNotCompared", "", ""},
	{"unknown Tailnet", func(w *livedns.World) { w.Tailnet = observe.Unknown[*v1alpha1.Tailnet](observe.Denied) }, "EvidenceUnavailable", "Tailnet/home", ""},
	{"no gateway", func(w *livedns.World) { w.Gateway = observe.Absent[*v1alpha1.TailnetGateway]() }, "DNSNotCompared", "", ""},
}

func TestTruthTable(t *testing.T) {
	problems := map[string]int{}
	defer func() {
		if len(problems) != 11 { // all but what only a write tells
			t.Errorf("%d problems are said: %v", len(problems), problems)
		}
	}()
	for name, table := range map[string][]row{"follow": followRows, "alone": aloneRows, "sources": sourceRows} {
		for _, r := range table {
			t.Run(name+"/"+r.why, func(t *testing.T) {
				w := world(t)
				before := liveIn(&w).DeepCopy()
				r.change(&w)
				given := liveIn(&w).DeepCopy()
				v := livedns.Decide(w)
				said := strings.Join(strings.Fields(v.Values["object"]+" "+v.Values["key"]+" "+v.Values["rule"]+" "+v.Values["path"]), " ")
				if v.Reason != r.reason || said != r.said || (v.Swap != nil) != (r.serial != "") {
					t.Fatalf("%s %q, swap %v; want %s %q", v.Reason, said, v.Swap != nil, r.reason, r.said)
				}
				row, ok := api.FindCondition(api.KindTailnetGateway, api.ConditionDNSReady, v.Reason)
				if v.Reason == "DNSUpdateBlocked" {
					problems[v.Values["problem"]]++
				}
				if text := row.Message(v.Values); !ok || strings.ContainsAny(text, "{}") {
					t.Errorf("the message of %s is %q", v.Reason, text)
				}
				if v.Reason == "DNSInSync" && (v.Values["serial"] != liveIn(&w).Annotations[api.AnnotationDNSSerial] || v.Serial == 0 || v.Names < 2) {
					t.Errorf("%+v", v)
				}
				if v.Swap != nil {
					swapped(t, w, v.Swap, r.serial)
				}
				if now := liveIn(&w); now != nil && (!maps.Equal(now.Data, given.Data) || !maps.Equal(now.Annotations, given.Annotations)) {
					t.Errorf("what was read has changed: %v, before %v", now, before)
				}
			})
		}
	}
}

// swapped sees to it that a swap is the live object with the wanted zone at the
// serial, and in sync with it.
func swapped(t *testing.T, w livedns.World, swap *corev1.ConfigMap, serial string) {
	t.Helper()
	was := liveIn(&w)
	r, _ := w.Render.Get()
	if swap.UID != was.UID || swap.ResourceVersion != was.ResourceVersion || swap.ResourceVersion == "" ||
		swap.Name != was.Name || !maps.Equal(swap.Labels, was.Labels) || swap.Annotations["example.com/note"] != "keep" {
		t.Errorf("another object: %v", swap.ObjectMeta)
	}
	if swap.Annotations[api.AnnotationDNSSerial] != serial || swap.Annotations[api.AnnotationDNSHash] != r.Gateway.Zone.Hash() ||
		!strings.Contains(swap.Data["zone.db"], " hostmaster.invalid. "+serial+" 7200 ") {
		t.Errorf("serial %s\n%s", swap.Annotations[api.AnnotationDNSSerial], swap.Data["zone.db"])
	}
	w.Live, w.Conflicts = observe.Known(swap), 0
	if v := livedns.Decide(w); v.Reason != "DNSInSync" || v.Swap != nil {
		t.Errorf("after the swap: %s %v", v.Reason, v.Values)
	}
}

// With extra zones there is a key hosts, and without none (DN-09); which there are
// is a matter of identity.
//
// REQ: DL-01, DN-07, DN-09
func TestExtraZones(t *testing.T) {
	w := world(t)
	render(&w, hosts(seedText+"192.168.10.9 wiki.corp.example\n"))
	v := livedns.Decide(w)
	if v.Swap == nil || v.Swap.Data["hosts"] != "192.168.10.9 wiki.corp.example\n" {
		t.Fatalf("%+v", v)
	}
	w.Live = observe.Known(v.Swap)
	if v := livedns.Decide(w); v.Names != 4 { // apex, nas, app, wiki
		t.Errorf("%d names", v.Names)
	}
	gatewayIn(&w).Spec.DNS.ExtraZones = nil
	render(&w, hosts(seedText))
	edit(&w.Fresh, func(c *observe.Completion) { c.Receipt.Gateway = receipt.GatewaySubject(gatewayIn(&w)) })
	v = livedns.Decide(w)
	if v.Swap == nil || len(v.Swap.Data) != 2 || v.Swap.Annotations[api.AnnotationDNSSerial] != "3" {
		t.Fatalf("%+v", v)
	}
	w.Live = observe.Known(v.Swap)
	if v := livedns.Decide(w); v.Reason != "DNSInSync" || v.Names != 3 {
		t.Errorf("%+v", v)
	}
}

// A name that is there for a wildcard's sake alone is not counted.
//
// REQ: DN-03, ST-09
func TestNames(t *testing.T) {
	w := world(t)
	gatewayIn(&w).Spec.DNS.Records = []v1alpha1.Record{
		{Name: "*", Addresses: []v1alpha1.Address{"192.168.10.1"}}, {Name: "db.prod", Addresses: []v1alpha1.Address{"192.168.10.2"}},
	}
	render(&w, hosts(seedText))
	w.Live = observe.Known(livedns.Decide(w).Swap)
	r, _ := w.Render.Get()
	if v := livedns.Decide(w); v.Names != 4 || len(r.Gateway.Zone.Primary) != 5 { // apex, *, app, db.prod; and prod
		t.Errorf("%d names of %v", v.Names, r.Gateway.Zone.Primary)
	}
}
