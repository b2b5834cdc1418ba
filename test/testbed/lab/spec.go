package lab

import (
	"fmt"
	"slices"
	"strings"
)

// Part is what one can ask a lab for. What it needs comes with it.
type Part string

// The parts.
const (
	ControlPlane Part = "control-plane" // etcd, API server, controller manager, scheduler
	Node         Part = "node"          // containerd, kubelet, kube-proxy, cluster DNS, load balancer addresses
	Headscale    Part = "headscale"     // with DERP and STUN
	LAN          Part = "lan"           // a network with a host, behind the node
	Laptop       Part = "laptop"        // a Tailscale client that reaches nothing but Headscale

	Git    Part = "git"    // a server that keeps whatever is pushed
	Flux   Part = "flux"   // source-controller and kustomize-controller
	ArgoCD Part = "argocd" // repo-server, application-controller, server, Redis
)

// Parts are those that a lab has unless others are asked for.
var Parts = []Part{ControlPlane, Node, Headscale, LAN, Laptop}

// Engines are those that it has on request.
var Engines = []Part{Git, Flux, ArgoCD}

// every is all of them in the order that they start in.
var every = slices.Concat(Parts, Engines)

var needs = map[Part][]Part{Node: {ControlPlane}, Laptop: {Headscale}, Git: {ControlPlane}, Flux: {ControlPlane, Git}, ArgoCD: {ControlPlane, Git}}

// ParseParts reads names, and returns them with what they need, in order.
func ParseParts(names []string) ([]Part, error) {
	var want []Part
	for _, n := range names {
		p := Part(n)
		if !slices.Contains(every, p) {
			return nil, fmt.Errorf("a lab has no part %q, but %s", n, strings.Trim(fmt.Sprint(every), "[]"))
		}
		want = append(want, p)
	}
	return closure(want), nil
}

// closure are parts with what they need, in order. None are Parts.
func closure(want []Part) []Part {
	if len(want) == 0 {
		return Parts
	}
	var all []Part
	for _, p := range every {
		if slices.ContainsFunc(want, func(w Part) bool { return w == p || slices.Contains(needs[w], p) }) {
			all = append(all, p)
		}
	}
	return all
}

// Addresses in every lab: each has networks of its own. The names and numbers
// are those of examples/home-lab.
const (
	NodeName     = "lab-node"
	NodeAddress  = "10.211.0.1"
	PodCIDR      = "10.244.0.0/24"
	ServiceCIDR  = "10.96.0.0/16"
	APIService   = "10.96.0.1"
	DNSService   = "10.96.0.10"
	BalancerCIDR = "10.99.0.0/24"

	HeadscaleName    = "headscale.example"
	HeadscaleAddress = "203.0.113.10"

	GitName    = "git.example"
	GitAddress = "203.0.113.11"

	ArgoCDAddress = "127.0.0.1:28205"     // of its server, on the node
	ArgoCDPlugins = "/run/argocd/plugins" // directory of its plugins' sockets

	LANGateway = "192.168.10.1" // the node's address in the LAN
	LANHost    = "192.168.10.7"

	LaptopAddress = "198.51.100.2"
	LaptopGateway = "198.51.100.1"
)

// Network namespaces of a lab; the node is in the first one.
const (
	OnNode   = ""
	OnLAN    = "lan"
	OnLaptop = "laptop"
)

// Spec is what the program inside is told.
type Spec struct {
	Name     string
	Parts    []Part
	Dir      string             // the sandbox's directory on disk: log files go into logs
	Programs map[string]Program // by name
	Sources  map[string]string  // directories of what a program's project publishes beside it, by the program's name
	Images   []Image
	Forwards []string // addresses inside that the listeners after the control one lead to

	// Where the machine reaches the API server and Headscale; empty without them.
	APIOutside, HeadscaleOutside string
}

// Program is an executable that a lab runs.
type Program struct{ Path, Version string }

// Image is an OCI archive that the node has from the start.
type Image struct{ Reference, Archive string }

// Has reports whether the lab has a part.
func (s Spec) Has(p Part) bool { return slices.Contains(s.Parts, p) }

// Event is one line of a starting lab's progress.
type Event struct {
	Component string  `json:"component,omitempty"` // "" is the lab itself
	State     string  `json:"state"`               // started, ready or failed
	Seconds   float64 `json:"seconds"`             // since the lab's start
	Error     string  `json:"error,omitempty"`
}

// Component is a component of a running lab, as its status has it.
type Component struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
	State   string `json:"state"` // running, ended or stopped
	Address string `json:"address,omitempty"`
	Memory  int64  `json:"memoryBytes,omitempty"`
	Log     string `json:"log,omitempty"`
}

// Command is something to run inside.
type Command struct {
	Space string   // OnNode, OnLAN, OnLaptop
	Args  []string // the first is a path, or the name of a program of the lab
	Env   []string // beside PATH, HOME and TMPDIR
	Stdin string
}

// Result is how a command ended.
type Result struct {
	Stdout, Stderr string
	Code           int
}
