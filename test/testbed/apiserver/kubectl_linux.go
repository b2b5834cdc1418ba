package apiserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Result is what a run of kubectl came to.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Kubectl runs kubectl of the server's version as an identity; input is its
// standard input. The error is for a kubectl that could not be run at all: one
// that failed has a code.
func (a *Access) Kubectl(ctx context.Context, id Identity, input string, args ...string) (Result, error) {
	c, err := a.client(id)
	if err != nil {
		return Result{}, err
	}
	cmd := exec.CommandContext(ctx, a.kubectl, args...)
	// Its caches and the user's own settings stay out of it.
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.kubeconfig, "HOME="+a.dir, "KUBECTL_EXTERNAL_DIFF=diff -u", "KUBERC=off")
	cmd.Stdin = strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return Result{}, fmt.Errorf("kubectl %s: %w", args[0], err)
	}
	return Result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}, nil
}
