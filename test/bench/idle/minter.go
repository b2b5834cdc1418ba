//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/loopback"
	"tsunaro.io/gateway/test/testbed/process"
	"tsunaro.io/gateway/test/testbed/tool"
)

// minter is the running minter.
type minter struct {
	process *process.Process
	address string // of its own; an IP
	flags   []string
}

func (m *minter) metrics(ctx context.Context) (samples, error) {
	return scrape(ctx, http.DefaultClient, "http://"+net.JoinHostPort(m.address, "8080")+"/metrics")
}

// startMinter starts the program as its manifest does, with its own rights and no
// more. It leads without a lease, which is counted by nobody then.
func (c *cluster) startMinter(ctx context.Context, further string) error {
	var deployment appsv1.Deployment
	if err := c.admin.Get(ctx, client.ObjectKey{Namespace: namespace, Name: api.MinterName}, &deployment); err != nil {
		return err
	}
	flags := slices.DeleteFunc(deployment.Spec.Template.Spec.Containers[0].Args, func(f string) bool { return f == "--enable-leader-election" })
	flags = append(flags, strings.Fields(further)...)
	account := apiserver.ServiceAccount(namespace, api.MinterName)
	account.Groups = account.Groups[:2] // without the administrators
	kubeconfig, err := c.server.Kubeconfig(account)
	if err != nil {
		return err
	}
	path, err := tool.Path(tool.MinterName)
	if err != nil {
		return err
	}
	own := loopback.Own().String()
	m := &minter{flags: flags, address: own}
	m.process, err = process.Start(process.Command{
		Path: path, Args: append(slices.Clone(flags), "--metrics-addr="+net.JoinHostPort(own, "8080"), "--health-addr="+net.JoinHostPort(own, "9440")),
		Env: []string{"KUBECONFIG=" + kubeconfig, "RUNTIME_NAMESPACE=" + namespace}, Log: filepath.Join(c.dir, "minter.log"),
	})
	if err != nil {
		return err
	}
	c.minter = m
	return m.process.Await(ctx, process.Answers(http.DefaultClient, "http://"+net.JoinHostPort(own, "9440")+"/readyz"))
}

// usage is what the kernel accounts to the minter's process.
type usage struct {
	cpu            time.Duration // user and system, so far
	resident, peak int64         // bytes
}

func (m *minter) usage() (u usage, err error) {
	dir := fmt.Sprintf("/proc/%d/", m.process.Pid())
	stat, err := os.ReadFile(dir + "stat")
	if err != nil {
		return u, err
	}
	_, after, _ := strings.Cut(string(stat), ") ") // the name may hold anything
	fields := strings.Fields(after)
	const utime, stime = 11, 12 // counted from the state
	const tick = 10 * time.Millisecond
	for _, i := range []int{utime, stime} {
		n, err := strconv.Atoi(fields[i])
		if err != nil {
			return u, err
		}
		u.cpu += time.Duration(n) * tick
	}
	status, err := os.ReadFile(dir + "status")
	if err != nil {
		return u, err
	}
	for line := range strings.Lines(string(status)) {
		f := strings.Fields(line)
		if len(f) != 3 {
			continue
		}
		kib, _ := strconv.ParseInt(f[1], 10, 64)
		switch f[0] {
		case "VmRSS:":
			u.resident = kib << 10
		case "VmHWM:":
			u.peak = kib << 10
		}
	}
	return u, nil
}

// samples are metrics in the text format, a line each.
type samples []string

func scrape(ctx context.Context, c *http.Client, url string) (samples, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := c.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", url, response.Status)
	}
	var s samples
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		s = append(s, lines.Text())
	}
	return s, lines.Err()
}

// sum adds up the samples of a name that have a label.
func (s samples) sum(name, label string) (total float64) {
	for _, line := range s {
		if strings.HasPrefix(line, name+"{") && strings.Contains(line, label) {
			v, _ := strconv.ParseFloat(line[strings.LastIndexByte(line, ' ')+1:], 64)
			total += v
		}
	}
	return total
}

// count is how many samples a name has.
func (s samples) count(name string) (n int) {
	for _, line := range s {
		if strings.HasPrefix(line, name+"{") {
			n++
		}
	}
	return n
}
