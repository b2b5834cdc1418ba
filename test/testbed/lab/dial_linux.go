package lab

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// Dial connects from a network namespace of the lab to a numeric address.
func (l *Lab) Dial(ctx context.Context, space, network, address string) (c net.Conn, err error) {
	err = l.within(space, func() error {
		c, err = new(net.Dialer).DialContext(ctx, network, address)
		return err
	})
	return c, err
}

// within calls f on a thread that is in a network namespace of the lab. What f
// opens belongs to that namespace for good.
func (l *Lab) within(space string, f func() error) error {
	target, err := os.Open(l.sandbox.Space(space))
	if err != nil {
		return fmt.Errorf("the network %q of the lab: %w", space, err)
	}
	defer target.Close()
	return onThread(func() error {
		if err := unix.Setns(int(target.Fd()), unix.CLONE_NEWNET); err != nil {
			return fmt.Errorf("entering the network %q of the lab: %w", space, err)
		}
		return f()
	})
}

// onThread calls f on a thread that ends with it, so that nobody else ever runs in
// what f has entered.
func onThread(f func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() { // the first thread ends with the process only
			defer runtime.UnlockOSThread()
			result <- onThread(f)
			return
		}
		result <- f() // and the thread, which stays locked, ends with the goroutine
	}()
	return <-result
}
