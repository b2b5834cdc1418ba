package dns

import (
	"embed"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Case is a gateway's data and why it is worth asking about.
type Case struct {
	Name string `yaml:"-"`
	Why  string `yaml:"why"`
	Data `yaml:",inline"`
	Ask  []string `yaml:"ask"` // names to ask for besides those that the data suggests
}

// Names returns all names to ask for, in presentation format.
func (c Case) Names() []string {
	names := slices.Concat(c.Ask, New(c.Data, 1).Names())
	slices.Sort(names)
	return slices.Compact(names)
}

//go:embed zones/*.yaml
var zones embed.FS

// Cases returns the zones of the corpus, in the order of their names.
func Cases() ([]Case, error) {
	files, err := fs.Glob(zones, "zones/*.yaml")
	if err != nil {
		return nil, err
	}
	cases := make([]Case, len(files))
	for i, file := range files {
		text, err := zones.ReadFile(file)
		if err != nil {
			return nil, err
		}
		c := Case{Name: strings.TrimSuffix(strings.TrimPrefix(file, "zones/"), ".yaml")}
		dec := yaml.NewDecoder(strings.NewReader(string(text)))
		dec.KnownFields(true)
		if err := dec.Decode(&c); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		if c.Why == "" {
			return nil, fmt.Errorf("%s does not say why", file)
		}
		cases[i] = c
	}
	return cases, nil
}

// Random returns data that nobody thought of: few labels, so that names, parents
// and wildcards meet. The same seed gives the same data.
func Random(seed uint64) Data {
	r := rand.New(rand.NewPCG(seed, 0))
	d := Data{Zone: "r.example", LoadBalancerIP: "10.99.0.53"}
	var hosts strings.Builder
	seen := map[string]bool{}
	for i := range 3 + r.IntN(9) {
		labels := make([]string, 1+r.IntN(4))
		for j := range labels {
			labels[j] = string(rune('a' + r.IntN(3)))
		}
		wildcard := r.IntN(2) == 0
		if wildcard {
			labels[0] = "*"
		}
		owner := strings.Join(labels, ".")
		address := fmt.Sprintf("192.0.2.%d", i+1)
		if r.IntN(4) == 0 {
			address = fmt.Sprintf("2001:db8::%d", i+1)
		}
		switch {
		case !wildcard && r.IntN(2) == 0:
			fmt.Fprintf(&hosts, "%s %s.%s\n", address, owner, d.Zone)
		case !seen[owner]:
			seen[owner] = true
			d.Records = append(d.Records, Record{Name: owner, Addresses: []string{address}})
		}
	}
	d.Hosts = hosts.String()
	return d
}
