package gateway

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
)

// shelf is an API server and a cache that answer at once.
type shelf struct {
	client.Client
	hosts    *corev1.ConfigMap
	gateways []v1alpha1.TailnetGateway
}

func (s *shelf) Get(_ context.Context, _ client.ObjectKey, o client.Object, _ ...client.GetOption) error {
	*o.(*corev1.ConfigMap) = *s.hosts
	return nil
}

func (s *shelf) List(_ context.Context, l client.ObjectList, _ ...client.ListOption) error {
	l.(*v1alpha1.TailnetGatewayList).Items = s.gateways
	return nil
}

// BenchmarkHosts is what it takes to tell whom of a thousand gateways a change of the
// hosts source concerns, without its read.
func BenchmarkHosts(b *testing.B) {
	const gateways = 1000
	for _, names := range []int{3, 16} {
		s, a := &shelf{}, newAgenda()
		var text [2]strings.Builder
		for i := range gateways {
			s.gateways = append(s.gateways, *aGateway(i))
			a.inSync(name(i), "0")
			for n := range names {
				for odd := range text {
					address := 1
					if i == gateways/2 && n == 0 {
						address += odd
					}
					fmt.Fprintf(&text[odd], "10.%d.%d.%d host-%d.gw-%d.example\n", i>>8, i&255, address, n, i)
				}
			}
		}
		m := &mapper{cache: s, cluster: kube.Over(s, namespace), agenda: a, echoes: newEchoes()}
		b.Run(fmt.Sprintf("one of %d names", names*gateways), func(b *testing.B) {
			b.ReportAllocs()
			revision := 0
			next := func() []string {
				s.hosts = &corev1.ConfigMap{
					ObjectMeta: metav1.ObjectMeta{Name: "hosts", UID: "h", Labels: map[string]string{api.LabelTailnet: "home"}, ResourceVersion: strconv.Itoa(revision)},
					Data:       map[string]string{"hosts": text[revision%2].String()},
				}
				return m.ofHosts(b.Context(), "home", "hosts").zone
			}
			next()
			for b.Loop() {
				revision++
				if woken := next(); len(woken) != 1 {
					b.Fatalf("%d are woken", len(woken))
				}
				a.inSync(name(gateways/2), strconv.Itoa(revision))
			}
		})
		for i := range gateways {
			a.inSync(name(i), "0")
		}
	}
}
