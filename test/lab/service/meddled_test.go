//go:build lab && linux

package service

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/rules"
	"tsunaro.io/gateway/renderer/zone"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab"
)

// meddled does to a gateway what no policy refuses here. The further down, the less
// of it can be taken back.
func (g *gateway) meddled() {
	for _, s := range []struct {
		name string
		do   func(*gateway)
	}{
		{"labels", (*gateway).relabelled},
		{"hosts", (*gateway).wrongHosts},
		{"the zone's revision", (*gateway).wrongRevision},
		{"more than the zone", (*gateway).moreData},
		{"the last serial", (*gateway).lastSerial},
		{"an immutable zone", (*gateway).immutableZone},
		{"deletions", (*gateway).deletions},
	} {
		g.step(s.name, s.do)
	}
}

// served waits until the gateway's CoreDNS answers a name.
func (g *gateway) served(name, address string) {
	g.Helper()
	pod := g.AwaitReady(g.namespace, g.pod())
	g.Await(name+" is answered", func(ctx context.Context) error {
		return g.answers(ctx, lab.OnNode, pod.Status.PodIP, name, address)
	})
}

// wrongHosts breaks the hosts source in every way. The last zone stays live, and the
// gateway is no less Ready.
//
// REQ: DL-05, DL-08
func (g *gateway) wrongHosts() {
	g.host("before", "192.168.10.20")
	g.served("before", "192.168.10.20")
	began := time.Now()
	source := &unstructured.Unstructured{Object: g.hosts}
	was, err := g.Resource(apiserver.Person, "ConfigMap", g.namespace).Get(g.Context(), source.GetName(), metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	for _, c := range []struct {
		args         []string
		reason, says string
	}{
		{[]string{"label", "configmap", source.GetName(), "--namespace=NS", api.LabelTailnet + "-"}, api.ReasonHostsRefused, "metadata.labels[tsunaro.io/tailnet] must be"},
		{patch("ConfigMap", source.GetName(), "merge", `{"data":{"hosts":"192.168.10.21  `+g.zoneName()+`\n"}}`), api.ReasonHostsRefused, "data.hosts:1 must not claim the zone's apex"},
		{patch("ConfigMap", source.GetName(), "merge", `{"data":{"hosts":null,"other":""}}`), api.ReasonHostsMissing, "has no key hosts. The last zone stays live."},
		{[]string{"delete", "configmap", source.GetName(), "--namespace=NS"}, api.ReasonHostsMissing, "does not exist"},
	} {
		g.must("", c.args...)
		g.reaches(api.ConditionDNSReady, c.reason, "ConfigMap/NS/"+source.GetName(), c.says)
		g.served("before", "192.168.10.20")
		if c.args[0] == "delete" {
			break
		}
		g.restore("ConfigMap", was)
		g.says(api.ConditionDNSReady, api.ReasonDNSInSync)
	}
	again := was.DeepCopy()
	again.SetResourceVersion("")
	again.SetUID("")
	again.SetManagedFields(nil)
	if _, err := g.Resource(apiserver.Person, "ConfigMap", g.namespace).Create(g.Context(), again, metav1.CreateOptions{}); err != nil {
		g.Fatal(err)
	}
	g.says(api.ConditionDNSReady, api.ReasonDNSInSync)
	g.still(began, api.ConditionReady, api.ReasonFreshRuntimeReady)
}

// live is the gateway's CoreDNS ConfigMap.
func (g *gateway) live() *corev1.ConfigMap {
	g.Helper()
	m, err := g.Client(apiserver.Admin).CoreV1().ConfigMaps(g.namespace).Get(g.Context(), api.CoreDNSName(g.name), metav1.GetOptions{})
	if err != nil {
		g.Fatal(err)
	}
	return m
}

// overwrite makes the live zone what somebody else wants, whoever writes meanwhile.
func (g *gateway) overwrite(change func(*corev1.ConfigMap)) {
	g.Helper()
	zones := g.Client(apiserver.Person).CoreV1().ConfigMaps(g.namespace)
	g.Await("the zone is overwritten", func(ctx context.Context) error {
		m, err := zones.Get(ctx, api.CoreDNSName(g.name), metav1.GetOptions{})
		if err != nil {
			return err
		}
		change(m)
		_, err = zones.Update(ctx, m, metav1.UpdateOptions{})
		return err
	})
}

// wrongRevision takes away, resets and puts back the serial. As long as it does not
// belong to the zone, or is an earlier one, nothing is written, also when the hosts
// change.
//
// REQ: DL-03, DL-04, DL-09
func (g *gateway) wrongRevision() {
	const serial = "metadata.annotations[tsunaro.io/dns-serial]"
	const unlike = "its serial and hash do not belong to its data"
	began, older := time.Now(), g.live()
	g.host("newer", "192.168.10.22")
	g.served("newer", "192.168.10.22")
	for n, c := range []struct {
		how    string
		change func(*corev1.ConfigMap)
		says   string
	}{
		{"reset", func(m *corev1.ConfigMap) { m.Annotations[api.AnnotationDNSSerial] = "1" }, unlike},
		{"missing", func(m *corev1.ConfigMap) {
			delete(m.Annotations, api.AnnotationDNSSerial)
			delete(m.Annotations, api.AnnotationDNSHash)
		}, unlike},
		{"another hash", func(m *corev1.ConfigMap) { m.Annotations[api.AnnotationDNSHash] = strings.Repeat("0", 64) }, unlike},
		{"another zone", func(m *corev1.ConfigMap) { m.Data[api.DataZone] += "x." + g.zoneName() + ". 30 IN A 192.168.10.23\n" }, unlike},
		{"an earlier zone", func(m *corev1.ConfigMap) {
			m.Data = maps.Clone(older.Data)
			maps.Copy(m.Annotations, older.Annotations)
		}, "its serial is lower than one that was served before"},
	} {
		before := g.live()
		g.overwrite(c.change)
		g.reaches(api.ConditionDNSReady, api.ReasonDNSUpdateBlocked, "ConfigMap/NS/GW-coredns is left alone: "+c.says, serial)
		wrong := g.live()
		name := fmt.Sprintf("meanwhile-%d", n)
		g.host(name, "192.168.10.24")
		g.woken()
		if now := g.live(); now.ResourceVersion != wrong.ResourceVersion {
			g.Errorf("%s: it was written to: %v", c.how, now)
		}
		g.overwrite(func(m *corev1.ConfigMap) { m.Data, m.Annotations = before.Data, before.Annotations })
		g.says(api.ConditionDNSReady, api.ReasonDNSInSync)
		g.served(name, "192.168.10.24")
	}
	g.still(began, api.ConditionReady, api.ReasonFreshRuntimeReady)
}

// moreData puts another key beside the zone: that is not the minter's, and blocks.
//
// REQ: DL-06, LC-15
func (g *gateway) moreData() {
	g.overwrite(func(m *corev1.ConfigMap) { m.Data["more"] = "x" })
	g.reaches(api.ConditionReady, api.ReasonFreshBlocked, "ConfigMap/NS/GW-coredns ", "data.more")
	g.reaches(api.ConditionDNSReady, api.ReasonDNSUpdateBlocked, "more than its zone was changed since it was verified", "data.more")
	g.overwrite(func(m *corev1.ConfigMap) { delete(m.Data, "more") })
	g.says(api.ConditionReady, api.ReasonFreshRuntimeReady)
	g.says(api.ConditionDNSReady, api.ReasonDNSInSync)
}

// lastSerial brings the zone to the highest serial there is. The next change of hosts
// is not served, whichever minter looks at it.
//
// REQ: DL-01
func (g *gateway) lastSerial() {
	const last = math.MaxUint32
	g.overwrite(func(m *corev1.ConfigMap) {
		was, err := zone.ReadRevision(m.Annotations, m.Data)
		if err != nil {
			g.Fatal(err)
		}
		soa := fmt.Sprintf(" hostmaster.invalid. %d ", was.Serial)
		m.Data[api.DataZone] = strings.Replace(m.Data[api.DataZone], soa, fmt.Sprintf(" hostmaster.invalid. %d ", uint32(last)), 1)
		m.Annotations[api.AnnotationDNSSerial] = fmt.Sprint(uint32(last))
	})
	s := g.reaches(api.ConditionDNSReady, api.ReasonDNSInSync, fmt.Sprintf("serial %d", uint32(last)))
	if s.Status.DNS == nil || s.Status.DNS.Serial != last {
		g.Errorf("status.dns is %v", s.Status.DNS)
	}
	before := g.live()
	g.host("too-late", "192.168.10.25")
	g.reaches(api.ConditionDNSReady, api.ReasonDNSSerialExhausted, "ConfigMap/NS/GW-coredns has the highest serial")
	g.minter().Kill(g.World)
	g.minter().Start(g.World)
	g.woken()
	g.reaches(api.ConditionDNSReady, api.ReasonDNSSerialExhausted)
	if now := g.live(); now.ResourceVersion != before.ResourceVersion {
		g.Errorf("it was written to: %v", now)
	}
	g.says(api.ConditionReady, api.ReasonFreshRuntimeReady)
}

// REQ: DL-04
func (g *gateway) immutableZone() {
	g.overwrite(func(m *corev1.ConfigMap) { yes := true; m.Immutable = &yes })
	g.reaches(api.ConditionDNSReady, api.ReasonDNSUpdateBlocked, "it was made immutable", "immutable")
	g.reaches(api.ConditionReady, api.ReasonFreshBlocked, "ConfigMap/NS/GW-coredns ", "immutable")
}

// deletions deletes each of the nine, and lets the engine make it again. It is named
// while it is missing, and is not the one that it was afterwards: the gateway stays
// blocked. The zone is not made again by the minter.
//
// REQ: ST-06, DL-04, LC-15
func (g *gateway) deletions() {
	var named, cleared []time.Duration
	nine, objects := g.nine(), observe.Names(g.await("is there", func(seen) error { return nil }).TailnetGateway, g.namespace)
	zone := slices.IndexFunc(objects[:], func(o rules.Object) bool { return o.Kind == "ConfigMap" })
	nine[0], nine[zone], objects[0], objects[zone] = nine[zone], nine[0], objects[zone], objects[0] // it is wrong already, and would be named first
	for i, o := range objects {
		object := fmt.Sprintf("%s/%s/%s", o.Kind, g.namespace, o.Name)
		began := time.Now()
		g.must("", "delete", strings.ToLower(o.Kind), o.Name, "--namespace=NS")
		s := g.says(api.ConditionInSync, api.ReasonResourcesMissing, object+" is missing.")
		named = append(named, s.at.Sub(began))
		if o.Name == api.CoreDNSName(g.name) {
			g.reaches(api.ConditionDNSReady, api.ReasonDNSUpdateBlocked, "it is missing, and is not made again")
			g.woken()
			g.says(api.ConditionInSync, api.ReasonResourcesMissing, object+" is missing.")
		}
		began = time.Now()
		if err := g.Put(g.Context(), apiserver.FluxEngine, nine[i]); err != nil {
			g.Fatal(err)
		}
		s = g.says(api.ConditionInSync, api.ReasonAsRendered)
		cleared = append(cleared, s.at.Sub(began))
		if err := said(s.condition(api.ConditionReady), api.ReasonFreshBlocked, nil); err != nil {
			g.Errorf("%s was replaced, and Ready: %v", object, err)
		}
	}
	g.reaches(api.ConditionReady, api.ReasonFreshBlocked, "ServiceAccount/NS/GW ", "metadata.uid")
	g.says(api.ConditionDNSReady, api.ReasonDNSUpdateBlocked, "it is not the one that was recorded")
	g.Logf("%d deletions, median (longest): named %s after kubectl was started, cleared %s after the object was made again",
		len(named), spread(named), spread(cleared))
	if len(named) != len(nine) {
		g.Errorf("%d of the nine were deleted", len(named))
	}
}
