package controller

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	fluxclient "github.com/fluxcd/pkg/runtime/client"
	"github.com/fluxcd/pkg/runtime/events"
	"github.com/fluxcd/pkg/runtime/leaderelection"
	"github.com/fluxcd/pkg/runtime/logger"
	"github.com/fluxcd/pkg/runtime/probes"
	"github.com/spf13/pflag"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	ctrlmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"tsunaro.io/gateway/minter/controller/gateway"
	"tsunaro.io/gateway/minter/controller/tailnets"
	"tsunaro.io/gateway/minter/headscale"
	"tsunaro.io/gateway/minter/kube"
	"tsunaro.io/gateway/minter/metrics"
	"tsunaro.io/gateway/renderer/api"
)

// Options are what the minter can be told on its command line.
type Options struct {
	Namespace   string
	MetricsAddr string
	HealthAddr  string
	EventsAddr  string

	Client         fluxclient.Options
	Log            logger.Options
	LeaderElection leaderelection.Options
}

// namespaceVariable is where the Deployment leaves the Pod's namespace.
const namespaceVariable = "RUNTIME_NAMESPACE"

// BindFlags defines the flags. Those of the libraries are Flux's.
func (o *Options) BindFlags(flags *pflag.FlagSet) {
	flags.StringVar(&o.Namespace, "namespace", cmp.Or(os.Getenv(namespaceVariable), api.DefaultOperatorNamespace),
		"The operator namespace: Tailnets of another one are left alone. Its default is $"+namespaceVariable+".")
	flags.StringVar(&o.MetricsAddr, "metrics-addr", ":8080", "The address that metrics are served on.")
	flags.StringVar(&o.HealthAddr, "health-addr", ":9440", "The address that probes are answered on.")
	flags.StringVar(&o.EventsAddr, "events-addr", "", "The address of an event receiver, such as Flux's notification-controller.")
	o.Client.BindFlags(flags)
	o.Log.BindFlags(flags)
	o.LeaderElection.BindFlags(flags)
}

// pollEvery is how often a Tailnet that is in use is asked for its nodes.
const pollEvery = 5 * time.Second

// stopTime is how long passes may take to end when the process is asked to: a
// Headscale that does not answer is given up before.
const stopTime = 25 * time.Second

// Run runs the minter until the context ends.
func Run(ctx context.Context, config *rest.Config, o Options) error {
	logger.SetLogger(logger.NewLogger(o.Log))
	scheme, err := kube.Scheme()
	if err != nil {
		return err
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = o.Client.QPS, o.Client.Burst
	stop := stopTime
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                        scheme,
		Metrics:                       metricsserver.Options{BindAddress: o.MetricsAddr},
		HealthProbeBindAddress:        o.HealthAddr,
		GracefulShutdownTimeout:       &stop,
		LeaderElection:                o.LeaderElection.Enable,
		LeaderElectionID:              api.MinterName,
		LeaderElectionNamespace:       o.Namespace,
		LeaderElectionReleaseOnCancel: o.LeaderElection.ReleaseOnCancel,
		LeaseDuration:                 &o.LeaderElection.LeaseDuration,
		RenewDeadline:                 &o.LeaderElection.RenewDeadline,
		RetryPeriod:                   &o.LeaderElection.RetryPeriod,
		Cache: cache.Options{
			DefaultNamespaces: map[string]cache.Config{o.Namespace: {}},
			DefaultTransform:  cache.TransformStripManagedFields(),
		},
	})
	if err != nil {
		return fmt.Errorf("the manager: %w", err)
	}
	probes.SetupChecks(mgr, ctrl.Log)
	if err := setUp(mgr, config, o); err != nil {
		return err
	}
	if err := mgr.Start(ctx); err != nil && !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// setUp adds the reconcilers.
func setUp(mgr ctrl.Manager, config *rest.Config, o Options) error {
	cluster, err := kube.New(config, mgr.GetScheme(), o.Namespace)
	if err != nil {
		return err
	}
	recorder, err := events.NewRecorder(ctrl.Log, o.EventsAddr, api.MinterName, events.WithManager(mgr))
	if err != nil {
		return fmt.Errorf("the event recorder: %w", err)
	}
	told, err := metrics.New(ctrlmetrics.Registry)
	if err != nil {
		return fmt.Errorf("the metrics: %w", err)
	}
	clients := tailnets.NewClients(cluster, headscale.Options{}, told.Headscale)
	nodes := tailnets.NewNodes(clients, pollEvery)
	if err := tailnets.New(cluster, clients, nodes, told, recorder, nil).SetUp(mgr); err != nil {
		return fmt.Errorf("the reconciler of Tailnets: %w", err)
	}
	if err := gateway.New(cluster, nodes, told, recorder).SetUp(mgr); err != nil {
		return fmt.Errorf("the reconciler of gateways: %w", err)
	}
	return nil
}
