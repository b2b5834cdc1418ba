package tool

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
)

// run runs the go command in dir with additions to the environment and returns
// what it wrote to stdout. The error holds what it said.
func run(dir string, env []string, args ...string) ([]byte, error) {
	var stderr bytes.Buffer
	out, err := output(func() *exec.Cmd {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), env...)
		cmd.Stderr = &stderr
		return cmd
	})
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", args[0], err, stderr.Bytes())
	}
	return out, nil
}
