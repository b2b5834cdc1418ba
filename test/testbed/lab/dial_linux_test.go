package lab

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"
)

// What a function has entered ends with its thread, which must not be the first: that
// one would stay there, and keep a dead lab's network.
func TestOnThread(t *testing.T) {
	first := errors.New("the first thread")
	for range 1000 {
		err := onThread(func() error {
			if unix.Gettid() == unix.Getpid() {
				return first
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
