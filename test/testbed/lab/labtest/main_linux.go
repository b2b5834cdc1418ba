package labtest

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"tsunaro.io/gateway/test/testbed/lab"
)

// startLimit is how long a lab may take to be built and ready: make test-lab builds
// beforehand.
const startLimit = 30 * time.Minute

// Main is the whole TestMain of a package whose tests share one lab, which it puts
// into l. The lab ends with the tests, and with the process, however it ends.
func Main(m *testing.M, o lab.Options, l **lab.Lab) {
	code, err := run(m, o, l)
	if err != nil {
		fmt.Fprintln(os.Stderr, "lab:", err)
		os.Exit(1)
	}
	os.Exit(code)
}

func run(m *testing.M, o lab.Options, l **lab.Lab) (code int, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	if *l, err = lab.Start(ctx, o); err != nil {
		return 1, err
	}
	code = m.Run()
	return code, (*l).Stop()
}
