package labtest

import (
	"regexp"
	"strings"

	"tsunaro.io/gateway/test/testbed/apiserver"
)

// remedy is where a message has the command to copy.
var remedy = regexp.MustCompile("remove it: `([^`]+)`")

// Remedy is the command of a message, or "".
func Remedy(message string) string {
	if m := remedy.FindStringSubmatch(message); m != nil {
		return m[1]
	}
	return ""
}

// Obey runs the command of a message as it stands, as a person does. No shell is
// between: what would need one is no command to copy into any other either. A Pod that
// it is to remove may be gone by now: the garbage collector does not wait for anybody.
func (w *World) Obey(command string) {
	w.Helper()
	args := strings.Fields(command)
	switch {
	case len(args) > 1 && args[0] == "kubectl":
		r := w.Kubectl(apiserver.Person, "", args[1:]...)
		pod := len(args) > 2 && args[1] == "delete" && args[2] == "pod"
		if gone := pod && strings.Contains(r.Stderr, "(NotFound)"); r.Code != 0 && !gone {
			w.Fatalf("%s: exit code %d\n%s", command, r.Code, r.Stderr)
		}
	case len(args) > 1 && args[0] == "headscale":
		if err := w.Lab.Tailnet.CLI(w.Context(), nil, args[1:]...); err != nil {
			w.Fatalf("%s: %v", command, err)
		}
	default:
		w.Fatalf("no command: %q", command)
	}
}
