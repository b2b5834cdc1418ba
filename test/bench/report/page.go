//go:build linux

package main

import (
	_ "embed"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"slices"
	"text/template"
	"time"

	"tsunaro.io/gateway/test/bench"
	"tsunaro.io/gateway/test/bench/section"
	"tsunaro.io/gateway/test/testbed/tool"
)

//go:embed performance.md.tmpl
var text string

// page is the document; its methods are what the template asks for.
type page struct {
	samples
	peaks     map[string]int64  // bytes, by program
	allocated map[string]uint64 // bytes, by case
	before    string            // the page as it was, of which other programs' sections stay
}

// Section is another program's.
func (p page) Section(name string) string { return section.Of(p.before, name) }

func (p page) write(w io.Writer) error {
	t, err := template.New("page").Option("missingkey=error").Funcs(template.FuncMap{
		"ms":      milliseconds,
		"us":      func(d time.Duration) string { return fmt.Sprintf("%.0f", float64(d.Nanoseconds())/1e3) },
		"times":   func(r float64) string { return fmt.Sprintf("%.2f×", r) },
		"percent": func(part, of time.Duration) string { return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(of)) },
		"verdict": verdict,
		"fleet":   func(n int) string { return fmt.Sprintf(bench.Fleet, n) },
		"by":      func(d time.Duration, n int) time.Duration { return d / time.Duration(n) },
		"minus": func(d time.Duration, others ...time.Duration) time.Duration {
			for _, o := range others {
				d -= o
			}
			return d
		},
	}).Parse(text)
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f", d.Seconds()*1e3) }

func verdict(value, goal float64) string {
	if value <= goal {
		return "met"
	}
	return "not met"
}

// CPU is the median of a name's processor time.
func (p page) CPU(name string) time.Duration { return p.quantile(name, 0.5, cpu) }

// Row is the processor time, wall clock and peak memory of a program, as cells.
func (p page) Row(name string) string {
	return fmt.Sprintf("%s | %s–%s | %s | %.1f", milliseconds(p.CPU(name)),
		milliseconds(p.quantile(name, 0.1, cpu)), milliseconds(p.quantile(name, 0.9, cpu)),
		milliseconds(p.quantile(name, 0.5, wall)), float64(p.peaks[name])/(1<<20))
}

// Allocated is how much memory a case takes, in MiB.
func (p page) Allocated(name string) string {
	return fmt.Sprintf("%.1f", float64(p.allocated[name])/(1<<20))
}

// Ratio is how much processor time a takes for each of b.
func (p page) Ratio(a, b string) float64 { return p.ratio(a, b, cpu) }

// Wall is the median of a name's time by the clock.
func (p page) Wall(name string) time.Duration { return p.quantile(name, 0.5, wall) }

// WallRatio is how much time a takes for each of b.
func (p page) WallRatio(a, b string) float64 { return p.ratio(a, b, wall) }

// Growth is how much more a gateway takes in a large fleet than in a small one.
func (p page) Growth(large, small int) float64 {
	return p.ratio(fmt.Sprintf(bench.Fleet, large), fmt.Sprintf(bench.Fleet, small), cpu) * float64(small) / float64(large)
}

// Fleets are the numbers of gateways in one ResourceList.
func (p page) Fleets() []int { return bench.FleetSizes }

// Rounds is how often a name was measured.
func (p page) Rounds(name string) int { return len(p.samples[name]) }

// Machine is its shape, with nothing in it that names it.
func (p page) Machine() (string, error) {
	release, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		return "", err
	}
	kernel := regexp.MustCompile(`^[0-9]+\.[0-9]+`).Find(release)
	return fmt.Sprintf("%d processors (%s), Linux %s, %s", runtime.NumCPU(), runtime.GOARCH, kernel, runtime.Version()), nil
}

// Kustomize is the version of the kustomize that builds.
func (p page) Kustomize() (string, error) {
	list, err := tool.List()
	if err != nil {
		return "", err
	}
	i := slices.IndexFunc(list, func(s tool.Status) bool { return s.Name == "kustomize" })
	return list[i].Version, nil
}
