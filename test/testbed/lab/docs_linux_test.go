package lab

import (
	"fmt"
	"strings"
	"testing"

	"tsunaro.io/gateway/test/testbed/page"
	"tsunaro.io/gateway/test/testbed/tool"
)

const docs page.Page = "../../../docs/lab.md"

// docs/lab.md holds the parts and the addresses as they are; the drawing has no
// address that is not in them, and all of them.
func TestDocs(t *testing.T) {
	docs.Written(t, "parts", partTable(t))
	docs.Written(t, "addresses", addressTable())
	text := docs.Text(t)
	drawing := strings.Split(text, "```")[1]
	for _, a := range addresses {
		if a.drawn && !strings.Contains(drawing, a.address) {
			t.Errorf("the drawing has no %s (%s)", a.address, a.what)
		}
	}
	for _, p := range packages {
		if !strings.Contains(text, "`"+p.pkg+"`") {
			t.Errorf("%s does not name the package %s", docs, p.pkg)
		}
	}
}

func partTable(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("| Part | Programs | Comes with |\n|---|---|---|\n")
	for _, part := range every {
		var list []string
		for _, name := range programs[part] {
			if name == tool.FunctionName {
				list = append(list, name)
				continue
			}
			version, err := tool.Version(pinned(name))
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, name+" "+version)
		}
		if len(list) == 0 {
			list = []string{"the lab's own"}
		}
		var with []string
		for _, need := range needs[part] {
			with = append(with, "`"+string(need)+"`")
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", part, strings.Join(list, ", "), strings.Join(with, ", "))
	}
	fmt.Fprintf(&b, "\nThe node has the images `%s`, `%s` and `%s`.\n", TailscaleImage, CoreDNSImage, PauseImage)
	return b.String()
}

// addresses are the constants, for people.
var addresses = []struct {
	address, what string
	drawn         bool
}{
	{NodeAddress, "the node, `" + NodeName + "`; port 6443 is the API server", true},
	{PodCIDR, "Pods", true},
	{ServiceCIDR, "Services", true},
	{APIService, "the API server, as a Service", false},
	{DNSService, "the cluster's DNS, as a Service", true},
	{BalancerCIDR, "LoadBalancer Services; any address that one asks for is given", true},
	{HeadscaleAddress, "Headscale, `" + HeadscaleURL + "`", true},
	{GitAddress, "the Git server, `https://" + GitName + "`: who pushes to a repository that is not there makes it", false},
	{ArgoCDAddress, "Argo CD's API, on the node; it asks for no password", false},
	{LANHost, "the host in the LAN: `GET /` on port 80 tells who asks", true},
	{LANGateway, "the node, in the LAN", true},
	{LaptopAddress, "the laptop; its address in the tailnet is Headscale's choice", true},
	{LaptopGateway, "the node, on the laptop's side; it lets through what is for Headscale", false},
}

func addressTable() string {
	var b strings.Builder
	b.WriteString("| Address | Whose |\n|---|---|\n")
	for _, a := range addresses {
		fmt.Fprintf(&b, "| `%s` | %s |\n", a.address, a.what)
	}
	return b.String()
}
