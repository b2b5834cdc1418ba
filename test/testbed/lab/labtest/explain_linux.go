package labtest

import (
	"context"
	"time"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
)

// explain logs what somebody who has to find out why a test failed asks first: the
// lab is gone by then.
func (w *World) explain() {
	if w.Lab.Access == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second) // the test's own is over
	defer cancel()
	for _, args := range [][]string{
		{"get", "pods", "--all-namespaces", "--output=wide"},
		{"get", "events", "--all-namespaces", "--sort-by=.metadata.creationTimestamp"},
		{"logs", "--namespace=" + api.DefaultOperatorNamespace, "--selector=" + api.LabelGateway, "--all-containers", "--prefix", "--tail=30"},
	} {
		r, err := w.Lab.Access.Kubectl(ctx, apiserver.Admin, "", args...)
		w.Logf("kubectl %s: %v\n%s%s", args[0], err, r.Stdout, r.Stderr)
	}
}
