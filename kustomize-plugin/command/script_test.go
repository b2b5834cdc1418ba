package command_test

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/kustomize-plugin/command"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"tsunaro-fn": func() {
		s := commandline.Standard()
		s.InTerminal = os.Getenv("STDIN_IS_TERMINAL") != ""
		os.Exit(command.Run(os.Args[1:], s))
	}})
}

// TestScripts runs the command line as a person would.
//
// REQ: RN-10, RN-13
func TestScripts(t *testing.T) {
	entries, err := os.ReadDir("testdata/script")
	if err != nil || len(entries) < 8 {
		t.Fatalf("%d scripts (%v), want at least 8", len(entries), err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			return os.CopyFS(e.WorkDir+"/home-lab", os.DirFS("../../examples/home-lab"))
		},
		UpdateScripts: os.Getenv("UPDATE_GOLDEN") != "",
	})
}
