//go:build linux

package main

import (
	_ "embed"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"text/template"
	"time"

	"tsunaro.io/gateway/minter/controller/gateway"
)

//go:embed idle.md.tmpl
var text string

// page is the section; its methods are what the template asks for.
type page struct{ measured }

func (m measured) section() (string, error) {
	t, err := template.New("section").Funcs(template.FuncMap{
		"ms":    func(d time.Duration) string { return fmt.Sprintf("%.0f", d.Seconds()*1e3) },
		"s":     func(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) },
		"n":     thousands,
		"mib":   func(b int64) string { return fmt.Sprintf("%.0f", float64(b)/(1<<20)) },
		"kib":   func(b int) string { return fmt.Sprintf("%.0f", float64(b)/(1<<10)) },
		"under": verdict,
	}).Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = t.Execute(&b, page{m})
	return b.String(), err
}

func verdict(value, goal float64) string {
	if value < goal {
		return "met"
	}
	return "not met"
}

// thousands writes a number with commas.
func thousands(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	var groups []string
	for len(digits) > 3 {
		groups = append(groups, digits[len(digits)-3:])
		digits = digits[:len(digits)-3]
	}
	slices.Reverse(groups)
	return strings.Join(append([]string{digits}, groups...), ",")
}

// Size is how many gateways there are.
func (p page) Size() float64 { return float64(p.gateways) }

// Names is how many names the hosts source has.
func (p page) Names() float64 { return float64(p.gateways * p.names) }

// Source is its size in bytes.
func (p page) Source() int { return p.sourceBytes }

// Start, Idle and Single are phases; Every is the one of the median.
func (p page) Start() shown  { return shown{p.start} }
func (p page) Idle() shown   { return shown{p.idle} }
func (p page) Single() shown { return shown{p.single} }
func (p page) Every() shown {
	sorted := slices.SortedFunc(slices.Values(p.every), func(a, b phase) int { return int(a.took - b.took) })
	return shown{sorted[len(sorted)/2]}
}

// Singles and Everys are how many changes of either kind there were.
func (p page) Singles() int { return len(p.single.zone) }
func (p page) Everys() int  { return len(p.every) }

// Resident, StartPeak and Peak are memory in bytes.
func (p page) Resident() int64  { return p.resident }
func (p page) StartPeak() int64 { return p.startPeak }
func (p page) Peak() int64      { return p.peak }

// PerPass is how many requests a look at everything takes that finds nothing new: at
// the start each gateway has one.
func (p page) PerPass() float64 { return p.reads / p.Size() }

// PerSingle and PerEvery are the requests for each zone that has changed.
func (p page) PerSingle() float64 { return p.single.requests / float64(len(p.single.zone)) }
func (p page) PerEvery() float64  { return p.Every().p.requests / p.Size() }

// Backstop is how many requests a second the looks without a reason come to.
func (p page) Backstop() float64 { return p.PerPass() * p.Size() / gateway.MeanBackstop.Seconds() }

// PollRequests and PollHeadscale are what a poll of every gateway every five seconds
// would come to, with as many requests for a look: a second, and a minute.
func (p page) PollRequests() float64  { return p.PerPass() * p.Size() / poll.Seconds() }
func (p page) PollHeadscale() float64 { return p.Size() * time.Minute.Seconds() / poll.Seconds() }

const poll = 5 * time.Second

// PollP99 is the time after which such a poll has seen 99 of 100 changes.
func (p page) PollP99() time.Duration { return poll * 99 / 100 }

// ResidentMiB and SingleP99 are what goals are about.
func (p page) ResidentMiB() float64 { return float64(p.resident) / (1 << 20) }
func (p page) SingleP99() float64   { return p.Single().Zone(0.99).Seconds() * 1e3 }

// IdleTotal is the rate of the idle phase and of the looks without a reason.
func (p page) IdleTotal() float64 { return p.Idle().Rate() + p.Backstop() }

// BackstopHours is the mean time between looks without a reason.
func (p page) BackstopHours() float64 { return gateway.MeanBackstop.Hours() }

// CPUSingle and CPUEvery are milliseconds of processor time for each zone that has
// changed.
func (p page) CPUSingle() float64 { return p.single.cpu.Seconds() * 1e3 / float64(len(p.single.zone)) }
func (p page) CPUEvery() float64  { return p.Every().p.cpu.Seconds() * 1e3 / p.Size() }

// EveryLimited is how long the change of all would take with the default limit of
// requests, after the burst that it allows.
func (p page) EveryLimited() time.Duration {
	const limit, burst = 50, 300 // of package fluxcd/pkg/runtime/client
	return time.Duration(max(0, p.Every().p.requests-burst) / limit * float64(time.Second))
}

// StartHeadscale is how many requests Headscale had during the start.
func (p page) StartHeadscale() float64 { return float64(p.start.headscale) }

// Version is that of the API server.
func (p page) Version() string { return version }

// Flags are those that the minter was started with.
func (p page) Flags() string { return strings.Join(p.measured.flags, " ") }

// Workers is how many gateways are looked at at the same time.
func (p page) Workers() int { return gateway.Workers }

// Machine is its shape, with nothing in it that names it.
func (p page) Machine() string {
	return fmt.Sprintf("%d processors (%s, %s)", runtime.NumCPU(), runtime.GOARCH, runtime.Version())
}

// shown is a phase as cells.
type shown struct{ p phase }

// Took is how long it took.
func (s shown) Took() time.Duration { return s.p.took }

// Rate is requests to the API server a second.
func (s shown) Rate() float64 { return s.p.requests / s.p.took.Seconds() }

// Requests are those to the API server.
func (s shown) Requests() float64 { return s.p.requests }

// Headscale are the requests to it, and those a minute.
func (s shown) Headscale() int             { return s.p.headscale }
func (s shown) HeadscaleMinutely() float64 { return float64(s.p.headscale) / s.p.took.Minutes() }

// CPU is processor time, and how much of one processor that is, in percent.
func (s shown) CPU() time.Duration  { return s.p.cpu }
func (s shown) CPUPercent() float64 { return 100 * s.p.cpu.Seconds() / s.p.took.Seconds() }

// Zone and Status are the q-th of the latencies.
func (s shown) Zone(q float64) time.Duration   { return quantile(s.p.zone, q) }
func (s shown) Status(q float64) time.Duration { return quantile(s.p.status, q) }
