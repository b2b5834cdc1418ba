package livedns_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/minter/livedns"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// server is an API server with one gateway's zone. It swaps as the real one does,
// and remembers what was served at each serial.
type server struct {
	testing.TB
	world  livedns.World
	live   *corev1.ConfigMap
	hosts  string
	status int64 // the serial of the gateway's status
	served map[string]string
	last   uint64
	swaps  int

	renders map[string]observe.Fact[observe.Render] // by hosts source: nobody changes them
}

func newServer(t testing.TB) *server {
	s := &server{TB: t, world: world(t), hosts: seedText, served: map[string]string{}, renders: map[string]observe.Fact[observe.Render]{}}
	s.live = liveIn(&s.world)
	s.serve()
	return s
}

// serve checks what CoreDNS is given: no serial stands for two zones, and none is
// ever lower than the one before.
func (s *server) serve() {
	s.Helper()
	text := s.live.Annotations[api.AnnotationDNSSerial]
	serial, err := strconv.ParseUint(text, 10, 32)
	if err != nil || serial < s.last {
		s.Fatalf("serial %s after %d", text, s.last)
	}
	s.last = serial
	data := s.live.Data["zone.db"] + s.live.Data["hosts"]
	if was, known := s.served[text]; known && was != data {
		s.Fatalf("serial %s stands for two zones", text)
	}
	s.served[text] = data
}

// read is one pass.
func (s *server) read(conflicts int) livedns.World {
	w := s.world
	g := gatewayIn(&w).DeepCopy()
	if s.status > 0 {
		g.Status.DNS = &v1alpha1.DNSStatus{Serial: s.status}
	}
	w.Gateway = observe.Known(g)
	if _, known := s.renders[s.hosts]; !known {
		render(&w, hosts(s.hosts))
		s.renders[s.hosts] = w.Render
	}
	w.Render = s.renders[s.hosts]
	w.Live, w.Conflicts = observe.Known(s.live.DeepCopy()), conflicts
	return w
}

func (s *server) swap(next *corev1.ConfigMap) livedns.Outcome {
	s.Helper()
	if next.ResourceVersion != s.live.ResourceVersion || next.UID != s.live.UID {
		return livedns.Conflict
	}
	s.live = next.DeepCopy()
	s.touch()
	s.swaps++
	s.serve()
	return livedns.Done
}

func (s *server) touch() {
	n, err := strconv.Atoi(s.live.ResourceVersion)
	if err != nil {
		s.Fatal(err)
	}
	s.live.ResourceVersion = strconv.Itoa(n + 1)
}

// annotate is a second writer's work, which counts what it has done.
func (s *server) annotate() {
	n, _ := strconv.Atoi(s.live.Annotations["example.com/count"])
	s.live.Annotations["example.com/count"] = strconv.Itoa(n + 1)
	s.touch()
}

// minter is a process: between its read and its write others have their turn.
type minter struct {
	*server
	conflicts int
	due       *corev1.ConfigMap
	reported  map[string]int
}

// step reads, or writes what it has decided on the last time.
func (m *minter) step() {
	m.Helper()
	if m.due != nil {
		o := m.swap(m.due)
		m.due, m.conflicts = nil, livedns.After(m.conflicts, o)
		return
	}
	v := livedns.Decide(m.read(m.conflicts))
	m.due = v.Swap
	if m.due == nil {
		m.reported[v.Reason]++
		m.conflicts = 0 // the pass is over
		if v.Reason == api.ReasonDNSInSync {
			m.status = int64(v.Serial)
		}
	}
}

// TestSecondWriter makes a thousand changes of the hosts source while somebody else
// writes the same object, two minters swap, and either may die at any moment. No
// change is lost, neither of the hosts nor of the other writer, and no serial goes
// back or stands for two zones.
//
// REQ: DL-01, DL-02, DL-04
func TestSecondWriter(t *testing.T) {
	s := newServer(t)
	chance := rand.New(rand.NewPCG(11, 13))
	minters := []*minter{{server: s, reported: map[string]int{}}, {server: s, reported: map[string]int{}}}
	const changes = 1000
	annotated := 0
	settle := func() {
		for range 20 {
			minters[0].step()
		}
		if r, _ := s.read(0).Render.Get(); r.Gateway.Zone.Hash() != s.live.Annotations[api.AnnotationDNSHash] {
			t.Fatalf("not settled: %v", minters[0].reported)
		}
	}
	for n := range changes {
		s.hosts = fmt.Sprintf("%s192.168.11.%d b.lab.example\n192.168.12.%d wiki.corp.example\n", seedText, n%250+1, n/250+1)
		for range 1 + chance.IntN(12) {
			switch m := minters[chance.IntN(2)]; chance.IntN(5) {
			case 0:
				s.annotate()
				annotated++
			case 1:
				if chance.IntN(10) == 0 { // it dies, and knows nothing any more
					*m = minter{server: s, reported: m.reported}
				}
			default:
				m.step()
			}
		}
	}
	settle()
	if got := s.live.Annotations["example.com/count"]; got != strconv.Itoa(annotated) {
		t.Errorf("%s of %d writes of the other", got, annotated)
	}
	if s.last != uint64(s.swaps)+1 || s.swaps < changes/4 {
		t.Errorf("serial %d after %d swaps", s.last, s.swaps)
	}
	if !strings.Contains(s.live.Data["hosts"], "192.168.12.4 wiki") || s.live.Annotations["example.com/note"] != "keep" {
		t.Errorf("%v %v", s.live.Data["hosts"], s.live.Annotations)
	}
	for _, reason := range []string{api.ReasonDNSInSync, api.ReasonDNSUpdateConflict} {
		if minters[0].reported[reason] == 0 {
			t.Errorf("%s was never said: %v", reason, minters[0].reported)
		}
	}
}

// TestEveryTurn tries every order in which a change of the hosts, another writer's
// change and the steps of two minters can follow each other.
//
// REQ: DL-01, DL-02
func TestEveryTurn(t *testing.T) {
	const length = 6
	runs := 0
	base := newServer(t)
	for n := range pow(4, length) {
		runs++
		s := &server{TB: t, world: base.world, live: base.live.DeepCopy(), hosts: seedText, served: map[string]string{}, renders: base.renders}
		s.serve()
		a, b := &minter{server: s, reported: map[string]int{}}, &minter{server: s, reported: map[string]int{}}
		writes, changed := 0, 0
		for turn := range length {
			switch n / pow(4, turn) % 4 {
			case 0:
				a.step()
			case 1:
				b.step()
			case 2:
				s.annotate()
				writes++
			case 3:
				changed++
				s.hosts = fmt.Sprintf("%s192.168.11.%d b.lab.example\n", seedText, changed)
			}
		}
		for range 3 {
			a.step()
		}
		r, _ := s.read(0).Render.Get()
		if s.live.Annotations[api.AnnotationDNSHash] != r.Gateway.Zone.Hash() || s.last > uint64(changed)+1 || writes > 0 && s.live.Annotations["example.com/count"] != strconv.Itoa(writes) {
			t.Fatalf("order %d: serial %d after %d changes", n, s.last, changed)
		}
	}
	if runs != 4096 {
		t.Errorf("%d runs", runs)
	}
}

func pow(b, n int) int {
	p := 1
	for range n {
		p *= b
	}
	return p
}

// Three conflicts in a pass are reported, and the next pass begins anew.
//
// REQ: DL-02
func TestConflicts(t *testing.T) {
	s := newServer(t)
	s.hosts = change
	tries := 0
	n := 0
	for {
		v := livedns.Decide(s.read(n))
		if v.Swap == nil {
			if v.Reason != "DNSUpdateConflict" || tries != 3 {
				t.Fatalf("%s after %d tries", v.Reason, tries)
			}
			break
		}
		s.annotate()
		n = livedns.After(n, s.swap(v.Swap))
		tries++
	}
	if v := livedns.Decide(s.read(0)); v.Swap == nil || s.swap(v.Swap) != livedns.Done {
		t.Errorf("the next pass: %+v", v)
	}
	for _, c := range []struct {
		before  int
		outcome livedns.Outcome
		after   int
	}{{0, livedns.Conflict, 1}, {2, livedns.Conflict, 3}, {2, livedns.Done, 0}, {2, livedns.Lost, 2}, {2, livedns.Refused, 2}} {
		if got := livedns.After(c.before, c.outcome); got != c.after {
			t.Errorf("%d conflicts and %d: %d", c.before, c.outcome, got)
		}
	}
}

// A swap that is not allowed, or whose answer is lost, is said to be so.
//
// REQ: DL-05
func TestFailed(t *testing.T) {
	w := world(t)
	render(&w, hosts(change))
	v := livedns.Decide(w)
	for o, want := range map[livedns.Outcome]string{livedns.Refused: "DNSUpdateBlocked", livedns.Lost: "EvidenceUnavailable"} {
		f := livedns.Failed(v, o)
		row, _ := api.FindCondition(api.KindTailnetGateway, api.ConditionDNSReady, f.Reason)
		if f.Reason != want || f.Values["object"] != coreDNS || f.Swap != nil || strings.Contains(row.Message(f.Values), "{") {
			t.Errorf("%d: %+v", o, f)
		}
	}
}
