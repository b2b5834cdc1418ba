// Command kubectl-tsunaro looks at gateways and changes nothing: `kubectl tsunaro
// status` says how one is and what to do, `kubectl tsunaro check` judges builds before
// they are merged.
package main

import (
	"context"
	"os"
	"os/signal"
	"time"

	"golang.org/x/term"

	"tsunaro.io/gateway/health/command"
	"tsunaro.io/gateway/internal/commandline"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	s := commandline.Standard()
	if width, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && s.OutTerminal {
		s.Width = width
	}
	code := command.Run(ctx, os.Args[1:], s, time.Now)
	stop()
	os.Exit(code)
}
