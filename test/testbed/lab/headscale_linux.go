package lab

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"

	"tsunaro.io/gateway/test/testbed/headscale"
)

// HeadscaleURL is what everybody in the lab, and HeadscaleClient, calls Headscale
// by.
const HeadscaleURL = "https://" + HeadscaleName

// HeadscaleOptions are those of the lab's Headscale. Its directory is on disk, so
// that its certificate and its socket are reached from outside as well.
func (s Spec) HeadscaleOptions() headscale.Options {
	return headscale.Options{
		Dir: filepath.Join(s.Dir, "headscale"), Address: netip.MustParseAddr(HeadscaleAddress), Port: 443,
		Names: []string{HeadscaleName}, ServerURL: HeadscaleURL, Program: s.Programs["headscale"].Path,
	}
}

// HeadscaleClient reaches HeadscaleURL from the machine.
func (l *Lab) HeadscaleClient() *http.Client {
	client := l.Tailnet.HTTP()
	client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, l.Spec.HeadscaleOutside)
	}
	return client
}
