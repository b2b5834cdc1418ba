package inside

import (
	"context"
	"os/exec"
	"path/filepath"

	"tsunaro.io/gateway/test/testbed/headscale"
	"tsunaro.io/gateway/test/testbed/lab"
)

// headscale plans the control server of the tailnet, which also relays for it.
func (l *Lab) headscale() (err error) {
	if l.tailnet, err = headscale.Open(l.spec.HeadscaleOptions()); err != nil {
		return err
	}
	client := l.tailnet.HTTP()
	program, args, env := l.tailnet.Serve()
	l.serve("headscale", "https://"+lab.HeadscaleName, func() *exec.Cmd {
		cmd := l.command(lab.OnNode, program, args...)
		cmd.Env = append(cmd.Env, env...)
		return cmd
	}, answers(client, l.tailnet.URL+"/health"), "network")
	return nil
}

// headscaleCA is the file with the certificate that Headscale's clients trust.
func (l *Lab) headscaleCA() string { return filepath.Join(l.spec.HeadscaleOptions().Dir, "tls.crt") }

// laptopKey makes the key that the laptop joins the tailnet with.
func (l *Lab) laptopKey(ctx context.Context) ([]byte, error) {
	var made struct{ Key string }
	err := l.tailnet.CLI(ctx, &made, "preauthkeys", "create", "--tags", "tag:laptop", "--expiration", "1h")
	return []byte(made.Key), err
}
