//go:build lab && linux

package blocked

import (
	"context"
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// nobodys is an operator namespace without a minter.
const nobodys = "tsunaro-nobodys"

// elsewhereTailnet makes a gateway whose Tailnet is of another operator namespace,
// and lets both minters see it again and again.
//
// REQ: RN-12
func elsewhereTailnet(t *testing.T) {
	g := newGateway(t, world(t), "elsewhere", "elsewhere-net", nobodys)
	g.Must(apiserver.Admin, "", "create", "namespace", nobodys)
	g.sources()
	g.commit()
	for range 5 {
		g.wake()
		g.wakeTailnet()
	}
}

// elsewhereStill looks at it when dozens of others have come to their end meanwhile:
// nothing was written for it, and nothing about it.
func elsewhereStill(t *testing.T) {
	w := world(t)
	for kind, name := range map[string]string{api.KindTailnetGateway: "elsewhere", api.KindTailnet: "elsewhere-net"} {
		s := shared.view.await(t, kind, name, "is there", func(s *seen) error {
			if s == nil {
				return errors.New("it is not")
			}
			return nil
		})
		if len(s.conditions) > 0 || len(s.GetFinalizers()) > 0 {
			t.Errorf("somebody has written: %v", s)
		}
	}
	core := w.Client(apiserver.Admin).CoreV1()
	maps, err := core.ConfigMaps(nobodys).List(context.Background(), metav1.ListOptions{LabelSelector: "!" + api.LabelTailnet})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range maps.Items {
		if m.Name != "kube-root-ca.crt" {
			t.Errorf("ConfigMap %s was made", m.Name)
		}
	}
	secrets, err := core.Secrets(nobodys).List(context.Background(), metav1.ListOptions{})
	if err != nil || len(secrets.Items) > 0 {
		t.Errorf("%v, %v", secrets.Items, err)
	}
}
