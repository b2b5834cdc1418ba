//go:build !linux

package tool

import "os/exec"

// output returns what the command writes to stdout. If this process is killed,
// the command works on: only Linux can bind them.
func output(command func() *exec.Cmd) ([]byte, error) { return command().Output() }
