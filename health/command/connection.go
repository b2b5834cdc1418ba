package command

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"k8s.io/client-go/tools/clientcmd"

	"tsunaro.io/gateway/health/cluster"
)

// connection is how the cluster is reached: as kubectl does, with its flags.
type connection struct{ config clientcmd.ClientConfig }

// shown are the flags that help lists; the others are there, as kubectl has them.
var shown = []string{"kubeconfig", "context", "as"}

// connect adds kubectl's flags to a program.
func connect(root *cobra.Command) *connection {
	flags := root.PersistentFlags()
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	overrides := &clientcmd.ConfigOverrides{}
	flags.StringVar(&rules.ExplicitPath, "kubeconfig", "", "path of the kubeconfig file")
	clientcmd.BindOverrideFlags(overrides, flags, clientcmd.RecommendedConfigOverrideFlags(""))
	visible := map[string]bool{"color": true}
	for _, name := range shown {
		visible[name] = true
	}
	hide(flags, visible)
	return &connection{clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)}
}

// cluster is the API server; nothing has been sent.
func (c *connection) cluster() (*cluster.Cluster, error) {
	config, err := c.config.ClientConfig()
	switch {
	case clientcmd.IsEmptyConfig(err):
		return nil, errors.New("no cluster is known: neither --kubeconfig nor $KUBECONFIG nor ~/.kube/config names one")
	case err != nil:
		return nil, err
	}
	return cluster.New(config)
}

// completionLimit is how long somebody waits who has pressed the tab key.
const completionLimit = 3 * time.Second

// completeGateways completes the names of gateways, each once.
func (c *connection) completeGateways(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	ctx, cancel := context.WithTimeout(cmd.Context(), completionLimit)
	defer cancel()
	from, err := c.cluster()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	gateways, err := from.Gateways(ctx)
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	given := map[string]bool{}
	for _, a := range args {
		given[a] = true
	}
	var names []string
	for _, g := range gateways {
		if !given[g.Name] && strings.HasPrefix(g.Name, begun) {
			names = append(names, g.Name)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
