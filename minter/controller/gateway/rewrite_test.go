package gateway_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/receipt"
	"tsunaro.io/gateway/renderer/api"
)

// rewriting are the writes of a rewrite, in their order.
var rewriting = []string{"create lab-gw-fresh-next", "delete lab-gw-fresh", "create lab-gw-fresh", "delete lab-gw-fresh-next"}

// about leaves out what has nothing to do with receipts.
func (b *bed) about() (writes []string) {
	for _, w := range b.writes {
		if strings.Contains(w, "-fresh") {
			writes = append(writes, w)
		}
	}
	return writes
}

// receiptIn reads a receipt.
func (b *bed) receiptIn(name string) receipt.Completion {
	b.Helper()
	m := b.configMap(name)
	if m == nil {
		b.Fatalf("%s is not there", name)
	}
	c, err := receipt.DecodeCompletion([]byte(m.Data[api.DataReceipt]))
	if err != nil {
		b.Fatal(err)
	}
	return c
}

// rewritten sees to it that the receipt is under the present rule and says the same
// as one that always was, and that there is no stage.
func (b *bed) rewritten() {
	b.Helper()
	want := newBed(b.T, complete(b.T, receipt.CurrentRule)...).receiptIn("lab-gw-fresh")
	m := b.configMap("lab-gw-fresh")
	if got := b.receiptIn("lab-gw-fresh"); string(got.Encode()) != string(want.Encode()) {
		b.Errorf("%s\nwant\n%s", got.Encode(), want.Encode())
	}
	if m.Immutable == nil || !*m.Immutable || m.Labels[api.LabelGatewayUID] != string(uid(1)) || m.Labels[api.LabelStateUID] != string(uid(3)) {
		b.Errorf("%v %v", m.Immutable, m.Labels)
	}
	if b.configMap("lab-gw-fresh-next") != nil {
		b.Error("the stage is left")
	}
}

// A receipt of an older rule is verified under it, staged, and made anew.
//
// REQ: LC-17
func TestRewrite(t *testing.T) {
	b := newBed(t, complete(t, receipt.RuleV010)...)
	if err := b.reconcile("lab-gw"); err != nil {
		t.Fatal(err)
	}
	if got := b.about(); !slices.Equal(got, rewriting) {
		t.Errorf("%v, want %v", got, rewriting)
	}
	b.rewritten()
	if c := b.ready(); c.Reason != api.ReasonAPIKeyMissing { // Headscale is all that is missing
		t.Errorf("%+v", c)
	}
	b.writes = nil
	if err := b.reconcile("lab-gw"); err != nil || len(b.about()) > 0 {
		t.Errorf("%v, rewritten again: %v", err, b.about())
	}
}

// Whichever write is the last of a process, and whether it happened or not, the next
// one finishes; at no moment is there no receipt.
//
// REQ: LC-17
func TestRewriteAfterACrash(t *testing.T) {
	for first := range rewriting {
		for second := range rewriting {
			for _, f := range []fault{before, after} {
				for _, g := range []fault{before, after} {
					t.Run(fmt.Sprintf("%d/%d, then %d/%d", first, f, second, g), func(t *testing.T) {
						b := newBed(t, complete(t, receipt.RuleV010)...)
						for _, at := range []struct {
							n int
							f fault
						}{{first, f}, {second, g}} {
							seen := 0
							b.fault = func(w write) fault {
								if !strings.Contains(w.o.GetName(), "-fresh") {
									return none
								}
								if b.configMap("lab-gw-fresh") == nil && b.configMap("lab-gw-fresh-next") == nil {
									t.Error("no receipt is left")
								}
								if seen++; seen == at.n+1 {
									return at.f
								}
								return none
							}
							if err := b.reconcile("lab-gw"); err != nil && !strings.Contains(err.Error(), "did not succeed") {
								t.Error(err)
							}
							b.restart()
						}
						b.fault = nil
						if err := b.reconcile("lab-gw"); err != nil {
							t.Fatal(err)
						}
						b.rewritten()
					})
				}
			}
		}
	}
}

// What does not fit blocks, and the receipt stays as it was: an object that has
// drifted, and a stage that is somebody else's.
//
// REQ: LC-17, LC-15
func TestRewriteBlocked(t *testing.T) {
	for why, c := range map[string]struct {
		change func(client.Object)
		more   client.Object
		says   string
	}{
		"a drifted Role": {change: func(o client.Object) {
			if r, ok := o.(*rbacv1.Role); ok {
				r.Rules[0].Verbs = append(r.Rules[0].Verbs, "list")
			}
		}, says: "Role/tsunaro-system/lab-gw was changed since it was verified"},
		"a foreign stage": {
			more: &corev1.ConfigMap{ObjectMeta: foreign()},
			says: "ConfigMap/tsunaro-system/lab-gw-fresh-next does not belong to this gateway",
		},
	} {
		t.Run(why, func(t *testing.T) {
			objects := complete(t, receipt.RuleV010)
			for _, o := range objects {
				if c.change != nil {
					c.change(o)
				}
			}
			if c.more != nil {
				objects = append(objects, c.more)
			}
			b := newBed(t, objects...)
			if err := b.reconcile("lab-gw"); err != nil {
				t.Fatal(err)
			}
			if got := b.ready(); got.Reason != api.ReasonFreshBlocked || !strings.HasPrefix(got.Message, c.says) {
				t.Errorf("%+v", got)
			}
			if len(b.about()) > 0 || b.receiptIn("lab-gw-fresh").Rule != receipt.RuleV010 {
				t.Errorf("written: %v", b.about())
			}
		})
	}
}

func foreign() (m metav1.ObjectMeta) {
	m = in("lab-gw-fresh-next", 7)
	m.Labels[api.LabelGatewayUID] = string(uid(99))
	return m
}
