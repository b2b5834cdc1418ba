//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/test/testbed/apiserver"
	"tsunaro.io/gateway/test/testbed/headscaledouble"
)

// version is that of the API server.
const version = "1.36"

const namespace = api.DefaultOperatorNamespace

// cluster is what the minter talks to.
type cluster struct {
	server    *apiserver.Server
	headscale *headscaledouble.Server
	admin     client.WithWatch
	http      *http.Client // of an administrator
	minter    *minter
	dir       string
}

// start starts the servers, with CRDs and the operator namespace, and no policy yet.
func start(ctx context.Context) (c *cluster, err error) {
	c = &cluster{}
	defer func() {
		if err != nil {
			c.stop()
		}
	}()
	if c.dir, err = os.MkdirTemp("", "bench-idle-"); err != nil {
		return c, err
	}
	say("starting the API server %s", version)
	if c.server, err = apiserver.Start(ctx, version); err != nil {
		return c, err
	}
	c.headscale = headscaledouble.Start(headscaledouble.Options{})
	config, err := c.server.Config(apiserver.Admin)
	if err != nil {
		return c, err
	}
	if c.http, err = rest.HTTPClientFor(config); err != nil {
		return c, err
	}
	for _, args := range [][]string{
		{"apply", "--server-side", "-k", "renderer/crd"},
		{"wait", "--for=condition=Established", "crd", "--all", "--timeout=1m"},
		{"apply", "--server-side", "-k", "minter/deploy"},
	} {
		if err := c.kubectl(ctx, args...); err != nil {
			return c, err
		}
	}
	scheme, err := kube.Scheme()
	if err != nil {
		return c, err
	}
	c.admin, err = client.NewWithWatch(config, client.Options{Scheme: scheme})
	return c, err
}

func (c *cluster) stop() {
	if c.minter != nil {
		c.minter.process.Kill()
	}
	if c.server != nil {
		c.server.Stop()
	}
	if c.headscale != nil {
		c.headscale.Close()
	}
	_ = os.RemoveAll(c.dir) // of temporary files
}

func (c *cluster) kubectl(ctx context.Context, args ...string) error {
	r, err := c.server.Kubectl(ctx, apiserver.Admin, "", args...)
	if err == nil && r.Code != 0 {
		err = fmt.Errorf("kubectl %s: %s", strings.Join(args, " "), r.Stderr)
	}
	return err
}

// flowSchema makes the API server count the minter's requests by themselves. They get
// the share that those of every service account do.
const flowSchema = "bench-minter"

// install installs the policies, waits until they are in force, and counts from
// there on.
func (c *cluster) install(ctx context.Context) error {
	if err := c.kubectl(ctx, "apply", "--server-side", "-k", "policies/admission"); err != nil {
		return err
	}
	if err := c.admin.Create(ctx, &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: flowSchema},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "workload-low"}, MatchingPrecedence: 50,
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindServiceAccount,
					ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: namespace, Name: api.MinterName}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, Namespaces: []string{"*"}, ClusterScope: true,
				}},
				NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}}},
			}},
		},
	}); err != nil {
		return err
	}
	return await(ctx, time.Minute, "the policies are in force", func(ctx context.Context) (bool, error) {
		r, err := c.server.Kubectl(ctx, apiserver.Person, "", "patch", "configmap", "gw-0-fresh", "--namespace="+namespace,
			"--type=merge", `--patch={"metadata":{"labels":{"a":"b"}}}`, "--dry-run=server")
		if err != nil {
			return false, err
		}
		return r.Code != 0, errors.New("a receipt may be changed by anybody")
	})
}

// served is how many requests of the minter the API server has let through.
func (c *cluster) served(ctx context.Context) (float64, error) {
	samples, err := scrape(ctx, c.http, c.server.URL+"/metrics")
	if err != nil {
		return 0, err
	}
	return samples.sum("apiserver_flowcontrol_dispatched_requests_total", `flow_schema="`+flowSchema+`"`), nil
}
