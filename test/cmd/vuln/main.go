// Command vuln runs the pinned govulncheck over the product. A finding fails.
// Where the vulnerability database cannot be reached nothing was checked; the
// command says exactly that and does not fail, because the network is not a
// property of the code.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"tsunaro.io/gateway/test/testbed/tool"
)

func main() {
	db := flag.String("db", "", "URL of a mirror of the vulnerability database")
	flag.Parse()
	note, err := check(*db)
	if err != nil {
		fmt.Fprintln(os.Stderr, "vuln:", err)
		os.Exit(1)
	}
	fmt.Println("vuln:", note)
}

func check(db string) (note string, err error) {
	path, err := tool.Path("govulncheck")
	if err != nil {
		return "", err
	}
	var stderr bytes.Buffer
	args := []string{"./..."}
	if db != "" {
		args = []string{"-db", db, "./..."}
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout = os.Stdout
	cmd.Stderr = io.MultiWriter(os.Stderr, &stderr)
	err = cmd.Run()
	code := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		return "", err
	}
	return verdict(code, stderr.String())
}

// findings is govulncheck's exit code for "the code calls something vulnerable".
const findings = 3

func verdict(code int, stderr string) (note string, err error) {
	switch {
	case code == 0:
		return "no known vulnerability is reached", nil
	case code == findings:
		return "", errors.New("known vulnerabilities are reached: update the modules named above")
	case strings.Contains(stderr, "fetching vulnerabilities: "):
		return "NOT CHECKED: the vulnerability database could not be reached from here", nil
	default:
		return "", fmt.Errorf("govulncheck failed with exit code %d", code)
	}
}
