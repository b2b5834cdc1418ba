//go:build lab && linux

package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/health/view"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/lab/labtest"
)

const name = "lab-gw"

// seen is the gateway of examples/home-lab, and who looks at it.
type seen struct {
	*labtest.World
	viewer
	manifest string
}

// TestCommandLine takes the home lab from a commit through what a person has to look
// for, and asks the command line each time.
func TestCommandLine(t *testing.T) {
	w := labtest.New(t, theLab)
	install(w)
	s := seen{World: w, viewer: newViewer(w), manifest: w.Example("home-lab", labtest.HomeLayer)}
	for _, step := range []struct {
		name string
		do   func(*seen)
	}{
		{"without a gateway", (*seen).nothing},
		{"with a Secret in its way", (*seen).blocked},
		{"waiting for its resources", (*seen).waiting},
		{"ready, and not approved", (*seen).ready},
		{"healthy", (*seen).healthy},
		{"changed by somebody", (*seen).drifted},
		{"without a minter", (*seen).unattended},
		{"with a minter again", (*seen).again},
	} {
		done := t.Run(step.name, func(t *testing.T) {
			within := s
			within.World = s.In(t)
			step.do(&within)
			within.show()
		})
		if !done {
			t.FailNow()
		}
	}
}

// ask runs a command line once, which has to end with a code, and say all of the
// texts.
func (s *seen) ask(stdin, line string, code int, texts ...string) {
	s.Helper()
	if err := s.answers(s.Context(), stdin, line, code, texts...); err != nil {
		s.Error(err)
	}
}

func (s *seen) answers(ctx context.Context, stdin, line string, code int, texts ...string) error {
	r, err := s.run(ctx, s.World, stdin, line)
	if err != nil {
		return err
	}
	for _, t := range texts {
		if !strings.Contains(r.Stdout+r.Stderr, t) {
			err = errors.Join(err, fmt.Errorf("it does not say %q", t))
		}
	}
	if r.Code != code {
		err = errors.Join(err, fmt.Errorf("exit code %d, want %d", r.Code, code))
	}
	if err != nil {
		return fmt.Errorf("kubectl-tsunaro %s: %w\n%s%s", line, err, r.Stdout, r.Stderr)
	}
	return nil
}

// until asks until the answer is as wanted.
func (s *seen) until(line string, code int, texts ...string) {
	s.Helper()
	s.Await(line, func(ctx context.Context) error { return s.answers(ctx, "", line, code, texts...) })
}

// status is the gateway as programs see it.
func (s *seen) status() (g view.Gateway) {
	s.Helper()
	r, err := s.run(s.Context(), s.World, "", "status "+name+" -o json")
	if err != nil || r.Code != 0 {
		s.Fatalf("exit code %d, %v: %s", r.Code, err, r.Stderr)
	}
	if err := json.Unmarshal([]byte(r.Stdout), &g); err != nil {
		s.Fatal(err)
	}
	return g
}

// show logs what a person sees at the end of a step, and how long it took.
func (s *seen) show() {
	s.Helper()
	began := time.Now()
	r, err := s.run(s.Context(), s.World, "", "status "+name)
	s.Logf("after %s (%v):\n%s%s", time.Since(began).Round(time.Millisecond), err, r.Stdout, r.Stderr)
}

func (s *seen) apply() apiserver.Result {
	s.Helper()
	return s.Kubectl(apiserver.Person, s.manifest, "apply", "--server-side", "--force-conflicts", "-f", "-")
}

func (s *seen) nothing() {
	s.ask("", "status", 0, "There is no TailnetGateway.")
	s.ask("", "status "+name, 2, "there is no TailnetGateway/lab-gw")
	s.ask("", "diff "+name, 2, "there is no TailnetGateway/lab-gw")
	s.ask(s.manifest, "diff -f -", 1, "lab-gw: the cluster has no such gateway")
}

// blocked puts a Secret where the minted key belongs, and takes it away by the command
// that is printed.
//
// REQ: ST-05
func (s *seen) blocked() {
	secrets := s.Client(apiserver.Admin).CoreV1().Secrets(namespace)
	if _, err := secrets.Create(s.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: api.AuthSecretName(name)}}, metav1.CreateOptions{}); err != nil {
		s.Fatal(err)
	}
	s.apply()
	s.until("status "+name, 0, "lab-gw  Degraded  FreshBlocked\nSecret/tsunaro-system/lab-gw-auth ", "\nNext: ")
	s.ask("", "status --exit-code", 1, "Degraded", "kubectl tsunaro status lab-gw")
	command := s.command("kubectl delete ")
	s.Must(apiserver.Person, "", strings.Fields(command)[1:]...)
}

// command is the one step of the status that begins so.
func (s *seen) command(begins string) string {
	s.Helper()
	g := s.status()
	for _, step := range g.Next {
		for _, c := range step.Commands {
			if strings.HasPrefix(c, begins) {
				return c
			}
		}
	}
	s.Fatalf("no %q among %+v", begins, g.Next)
	return ""
}

// REQ: ST-06
func (s *seen) waiting() {
	s.until("status "+name, 0, "lab-gw  Progressing  AwaitingResources\n", "resources  0 of 9 as rendered", "✓ Bound", "no node yet, to be lab-gw", "minter     running")
	s.ask("", "diff "+name, 1, "StatefulSet/tsunaro-system/lab-gw  missing\n")
	s.ask(s.manifest, "diff -f -", 1, "StatefulSet/tsunaro-system/lab-gw  missing\n")
	s.ask("", "dns "+name+" --timeout 100ms", 2, "does not answer", "for --address: 10.96.0.53")
}

// ready has a node, and routes that are approved by the command that is printed.
//
// REQ: ST-05
func (s *seen) ready() {
	if r := s.apply(); r.Code != 0 {
		s.Fatalf("%s%s", r.Stdout, r.Stderr)
	}
	s.until("status "+name, 0, "lab-gw  Progressing  NotApproved\n", "✗ 192.168.10.0/24  advertised, not approved  spec.routes.lan")
	command := s.command("headscale ")
	if err := s.Lab.Tailnet.CLI(s.Context(), nil, strings.Fields(command)[1:]...); err != nil {
		s.Fatalf("%s: %v", command, err)
	}
}

// healthy is well in every way that can be asked for.
//
// REQ: ST-05, ST-06
func (s *seen) healthy() {
	s.until("status --exit-code "+name, 0, "lab-gw  Healthy  FreshRuntimeReady\n", "resources  9 of 9 as rendered", "2 wanted, 2 advertised, 2 approved",
		"The zone is live with serial 1.", "pod        lab-gw-0  ready  on lab-node", "? state    Secret lab-gw-state could not be read", "✓ receipt  complete")
	s.ask("", "status --exit-code", 0, "lab-gw   Healthy")
	s.ask("", "diff", 0)
	s.ask(s.manifest, "diff -f -", 0)
	for _, line := range []string{"dns lab-gw", "dns lab-gw --tcp", "dns lab-gw --address 10.96.0.53", "dns lab-gw --sample 1"} {
		s.ask("", line, 0, "answers as its sources say", "sources 1, ConfigMap 1, answered 1", ", 0 wrong answers")
	}
	if g := s.status(); len(g.Findings) != 0 || len(g.Unread) != 0 || g.Identity.StateExists != view.Maybe {
		s.Errorf("findings %q, unread %v, state Secret %s", g.Findings, g.Unread, g.Identity.StateExists)
	}
}

// drifted changes a Service behind the back of the policies, and lets the engine put
// it right.
//
// REQ: ST-06
func (s *seen) drifted() {
	s.Must(apiserver.Admin, "", "delete", "validatingadmissionpolicybinding", "tsunaro-pinned")
	s.Await("the guard is gone", func(context.Context) error {
		r := s.Kubectl(apiserver.Person, "", "patch", "service", "lab-dns", "--namespace="+namespace, "--type=merge", `--patch={"spec":{"sessionAffinity":"ClientIP"}}`)
		if r.Code != 0 {
			return errors.New(r.Stderr)
		}
		return nil
	})
	const path = "spec.sessionAffinity"
	s.until("status "+name, 0, "lab-gw  Degraded", "✗ Service/lab-dns             drifted at "+path, "resources  8 of 9 as rendered", "kubectl tsunaro diff lab-gw")
	s.ask("", "status --exit-code", 1, "Degraded")
	for _, line := range []string{"diff lab-gw", "diff -f -"} {
		s.ask(s.manifest, line, 1, "Service/tsunaro-system/lab-dns  drifted\n  "+path+"  (pinned: it blocks until it is as rendered)\n    - ClientIP\n    + None\n")
	}
	if r := s.apply(); r.Code != 0 {
		s.Fatalf("%s%s", r.Stdout, r.Stderr)
	}
	s.Must(apiserver.Admin, "", "apply", "--server-side", "-k", s.Source("policies/admission"))
	s.until("status --exit-code "+name, 0, "lab-gw  Healthy")
	s.ask("", "diff", 0)
}

// unattended has no minter: what serves goes on, what changes is seen to be waiting.
//
// REQ: OP-01
func (s *seen) unattended() {
	s.Must(apiserver.Admin, "", "scale", "deployment", api.MinterName, "--namespace="+namespace, "--replicas=0")
	s.until("status --exit-code "+name, 1, "lab-gw  Healthy when last seen", "! No minter is running", "9 of 9 as rendered", "kubectl get pods --namespace tsunaro-system")
	s.ask("", "dns "+name, 0, "answers as its sources say")
	s.Must(apiserver.Person, "", "patch", "configmap", "tailnet-dns-hosts", "--namespace="+namespace, "--type=merge",
		`--patch={"data":{"hosts":"192.168.10.99 printer.lab.example\n"}}`)
	s.ask("", "status "+name, 0, "! The live zone is not yet that of its sources")
	s.ask("", "dns "+name, 1, "sources 2, ConfigMap 1, answered 1", "1 wrong answer\n", "printer.lab.example  A     192.168.10.99  192.168.10.8\n")
	s.Must(apiserver.Person, "", "patch", "tailnetgateway", name, "--type=merge", `--patch={"spec":{"routes":{"lan":["192.168.11.0/24"]}}}`)
	s.ask("", "status "+name, 0, "lab-gw  Progressing when last seen\nThe minter has not seen this generation yet.\n", "not running, has seen generation")
	s.ask("", "diff "+name, 1, "StatefulSet/tsunaro-system/lab-gw  not synced yet\n", "(the engine may change it)\n    - 10.99.0.0/24,192.168.10.0/24\n    + 10.99.0.0/24,192.168.11.0/24\n")
	s.Must(apiserver.Person, "", "patch", "tailnetgateway", name, "--type=merge", `--patch={"spec":{"routes":{"lan":["192.168.10.0/24"]}}}`)
}

// again is well again, with the next serial.
func (s *seen) again() {
	s.Must(apiserver.Admin, "", "scale", "deployment", api.MinterName, "--namespace="+namespace, "--replicas=2")
	s.until("status --exit-code "+name, 0, "lab-gw  Healthy  FreshRuntimeReady", "The zone is live with serial 2.")
	s.until("dns "+name, 0, "sources 2, ConfigMap 2, answered 2")
}
