package command_test

import (
	"context"
	"os"
	"os/signal"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"tsunaro.io/gateway/health/command"
	"tsunaro.io/gateway/internal/commandline"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"kubectl-tsunaro": func() {
		s := commandline.Standard()
		s.OutTerminal = os.Getenv("STDOUT_IS_TERMINAL") != ""
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		code := command.Run(ctx, os.Args[1:], s, time.Now)
		stop()
		os.Exit(code)
	}})
}

// TestScripts runs the command line as a person would.
//
// REQ: UP-08
func TestScripts(t *testing.T) {
	entries, err := os.ReadDir("testdata/script")
	if err != nil || len(entries) < 8 {
		t.Fatalf("%d scripts (%v), want at least 8", len(entries), err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			build, err := os.ReadFile("../../examples/home-lab/expected/build.yaml")
			if err != nil {
				return err
			}
			return os.WriteFile(e.WorkDir+"/build.yaml", build, 0o644)
		},
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
	})
}
