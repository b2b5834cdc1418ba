package inside

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"

	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

const (
	laptopDir    = sandbox.Work + "/laptop"
	laptopSocket = "/run/tailscale/tailscaled.sock" // where tailscale looks for it
)

// lan plans the host in the LAN: a web server that tells its visitors their
// address, which is how a test sees whom the LAN sees.
func (l *Lab) lan() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	url := "http://" + lab.LANHost + "/"
	l.serve("lan-host", url, func() *exec.Cmd { return l.command(lab.OnLAN, self, "lan-host") },
		answers(http.DefaultClient, url), "network")
	return nil
}

// ServeLAN is the host in the LAN.
func ServeLAN() error {
	server := &http.Server{Addr: lab.LANHost + ":80", Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, r.RemoteAddr)
	})}
	return server.ListenAndServe()
}

// laptop plans a Tailscale client that is in the tailnet from the start.
func (l *Lab) laptop() error {
	l.serve("tailscaled", lab.LaptopAddress, func() *exec.Cmd {
		cmd := l.command(lab.OnLaptop, l.program("tailscaled"), "--no-logs-no-support", "--tun=tailscale0", "--port=41641",
			"--statedir="+laptopDir, "--state="+laptopDir+"/state", "--socket="+laptopSocket)
		cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+l.headscaleCA(), "TS_NO_LOGS_NO_SUPPORT=true", "TS_DEBUG_FIREWALL_MODE=nftables")
		return cmd
	}, func(context.Context) error { _, err := os.Stat(laptopSocket); return err }, "network")
	l.step("laptop", l.login, "tailscaled", "headscale")
	return nil
}

func (l *Lab) login(ctx context.Context) error {
	key, err := l.laptopKey(ctx)
	if err != nil {
		return err
	}
	file, err := l.write("laptop/authkey", key)
	if err != nil {
		return err
	}
	// Its DNS stays as it is: it would be the resolver of everything in the lab.
	return l.run(ctx, lab.OnLaptop, l.program("tailscale"), "up",
		"--login-server=https://"+lab.HeadscaleName, "--auth-key=file:"+file, "--hostname=laptop", "--accept-routes", "--accept-dns=false", "--timeout=60s")
}
