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
	result := make(chan error)
	go func() {
		// Locked and never unlocked: the thread ends with the goroutine, and so
		// nobody else ever runs in that namespace.
		runtime.LockOSThread()
		if err := unix.Setns(int(target.Fd()), unix.CLONE_NEWNET); err != nil {
			result <- fmt.Errorf("entering the network %q of the lab: %w", space, err)
			return
		}
		result <- f()
	}()
	return <-result
}
