package view

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"tsunaro.io/gateway/renderer/model"
	"tsunaro.io/gateway/renderer/zone"
)

// Model is what a gateway has to answer, as its live sources say.
type Model struct {
	Gateway string     `json:"gateway"`
	Apex    model.Name `json:"zone"`
	Data    zone.Data  `json:"-"`

	Names     int       `json:"names"`
	Addresses Addresses `json:"addresses"`

	// Sources is the serial that the sources are served under, and Stored that of the
	// ConfigMap: one more, where the minter has not written it yet. Both are 0 where
	// the ConfigMap cannot be read, or its serial and hash do not belong to its data.
	Sources uint32 `json:"sourcesSerial"`
	Stored  uint32 `json:"storedSerial"`
}

// ModelOf renders what a gateway has to answer. Without all of its sources nothing is
// said: the error is for people, or a rules.Refusal.
func ModelOf(r Reading) (Model, error) {
	if !r.Tailnet.Known() || !r.Hosts.Known() {
		return Model{}, errors.New("the zone's sources could not be read: the Tailnet, or its hosts source, is missing or may not be read")
	}
	rendered, ok := r.Render().Get()
	switch {
	case !ok:
		return Model{}, errors.New("the zone's sources could not be read: TailnetEgresses may not be listed")
	case len(rendered.Refused) > 0:
		return Model{}, rendered.Refused
	}
	g := about(r.Gateway)
	m := Model{
		Gateway: g.Name, Apex: rendered.Gateway.Gateway.DNS.Zone, Data: rendered.Gateway.Zone,
		Names: names(rendered.Gateway.Zone), Addresses: g.DNS.Addresses,
	}
	live, _ := r.Zone().Get()
	if live == nil {
		return m, nil
	}
	stored, err := zone.ReadRevision(live.Annotations, live.Data)
	if err != nil {
		return m, nil
	}
	m.Stored = stored.Serial
	if next, err := m.Data.Next(stored); err == nil {
		m.Sources = next.Serial
	}
	return m, nil
}

// Address is where the gateway is asked: what the LoadBalancer Service has, or should
// have.
func (m Model) Address() string {
	if m.Addresses.Assigned != "" {
		return m.Addresses.Assigned
	}
	return m.Addresses.LoadBalancer
}

// Others are all addresses of the gateway.
func (m Model) Others() []string {
	all := []string{m.Addresses.Assigned, m.Addresses.LoadBalancer, m.Addresses.Cluster, m.Addresses.Node}
	var out []string
	for _, a := range all {
		if a != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// Answers are what a gateway has answered.
type Answers struct {
	Model
	Server        string  `json:"server"`
	Answered      uint32  `json:"answeredSerial"`
	Authoritative bool    `json:"authoritative"` // nobody in between has answered
	Questions     int     `json:"questions"`
	Wrong         []Wrong `json:"wrong"`
}

// Wrong is a question that was answered otherwise than the sources say, or not.
type Wrong struct {
	Name string `json:"name"`
	Type string `json:"type"` // A or AAAA
	Want string `json:"want"`
	Got  string `json:"got"`
}

// Right reports whether all answers are those of the sources, at their serial.
func (a Answers) Right() bool {
	return len(a.Wrong) == 0 && a.Answered == a.Sources && a.Sources == a.Stored
}

// Text is the answers for people.
func (a Answers) Text(l Look) string {
	var b strings.Builder
	verdict := l.Paint.Green("as its sources say")
	if !a.Right() {
		verdict = l.Paint.Red("not as its sources say")
	}
	fmt.Fprintf(&b, "%s  %s at %s answers %s\n", l.Paint.Bold(a.Gateway), a.Apex, a.Server, verdict)
	fmt.Fprintf(&b, "  serial   sources %s, ConfigMap %s, answered %d\n", number(int(a.Sources), 0), number(int(a.Stored), 0), a.Answered)
	wrong := fmt.Sprintf("%d wrong answers", len(a.Wrong))
	if len(a.Wrong) == 1 {
		wrong = "1 wrong answer"
	}
	fmt.Fprintf(&b, "  names    %d in the sources\n  asked    %d questions, %s\n", a.Names, a.Questions, wrong)
	for _, why := range a.why() {
		b.WriteString(l.Paint.Yellow("!") + " " + why + "\n")
	}
	if len(a.Wrong) == 0 {
		return b.String()
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "NAME\tTYPE\tSOURCES SAY\tANSWERED")
	for _, wrong := range a.Wrong {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", wrong.Name, wrong.Type, wrong.Want, wrong.Got)
	}
	_ = w.Flush() // into memory
	return b.String()
}

// why says where the serials part.
func (a Answers) why() (out []string) {
	switch {
	case a.Stored == 0:
		out = append(out, "The serial of the ConfigMap could not be read, or does not belong to its data.")
	case a.Sources != a.Stored:
		out = append(out, "The minter has not written the present sources into the ConfigMap yet; `kubectl tsunaro status "+a.Gateway+"` tells why.")
	case a.Answered > a.Stored:
		out = append(out, "The answers are of a later serial than the ConfigMap's: it was set back, or another gateway answers.")
	case a.Answered < a.Stored:
		out = append(out, "The Pod does not serve the present ConfigMap yet: the kubelet brings it there within two minutes.")
	}
	if !a.Authoritative {
		out = append(out, a.Server+" answers from somebody else's data: it is not the gateway itself.")
	}
	return out
}
