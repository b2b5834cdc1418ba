package main

import (
	"strings"
	"testing"
)

const build = `apiVersion: tsunaro.io/v1alpha1
kind: TailnetGateway
metadata:
  name: lab-gw
---
apiVersion: v1
kind: Service
metadata:
  name: lab-dns
  namespace: tsunaro-system
  labels:
    tsunaro.io/gateway: lab-gw
    tsunaro.io/gateway-uid: ${lab_gw_gateway_uid:=<unbound>}
spec:
  selector:
    tsunaro.io/gateway-uid: ${lab_gw_gateway_uid:=<unbound>}
    tsunaro.io/state-uid: ${lab_gw_state_uid:=<unbound>}
---
apiVersion: v1
kind: Service
metadata:
  name: lab-gw
  namespace: tsunaro-system
  labels:
    tsunaro.io/gateway: lab-gw
    tsunaro.io/gateway-uid: ${lab_gw_gateway_uid:=<unbound>}
spec:
  selector:
    tsunaro.io/gateway-uid: ${lab_gw_gateway_uid:=<unbound>}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: lab-gw-coredns
  namespace: tsunaro-system
  labels:
    tsunaro.io/gateway: lab-gw
    tsunaro.io/gateway-uid: ${lab_gw_gateway_uid:=<unbound>}
`

const shown = `KIND        NAME             NAMESPACE
Service     lab-dns          tsunaro-system
Service     lab-gw           tsunaro-system
ConfigMap   lab-gw-coredns   tsunaro-system
Rendered: 3. Your own documents, passed through: 1.

Where the UIDs will go. Until a binder puts them there, every API server refuses these objects.

PLACEHOLDER                        PATH                                      IN
${lab_gw_gateway_uid:=<unbound>}   metadata.labels[tsunaro.io/gateway-uid]   all 3
                                   spec.selector[tsunaro.io/gateway-uid]     2 × Service
${lab_gw_state_uid:=<unbound>}     spec.selector[tsunaro.io/state-uid]       Service
`

func TestShow(t *testing.T) {
	for _, c := range []struct{ reason, build, want, err string }{
		{"unbound", build, shown, ""},
		{"bound", strings.NewReplacer("${lab_gw_gateway_uid:=<unbound>}", "u1", "${lab_gw_state_uid:=<unbound>}", "u2").Replace(build), "Every UID is in place", ""},
		{"nothing rendered", build[:strings.Index(build, "---")], "", "no rendered object"},
	} {
		documents, err := parse([]byte(c.build))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		err = show(&out, documents)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: error %v", c.reason, err)
		}
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("%s: got\n%s\nwant\n%s", c.reason, out.String(), c.want)
		}
	}
}
