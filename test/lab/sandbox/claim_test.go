//go:build lab && linux

package sandbox

import (
	"sync"
	"testing"

	"tsunaro.io/gateway/test/testbed/sandbox"
)

// Names are claimed and given back while others look for labs and remove dead
// ones: nobody is told that a lab lives which does not.
func TestClaims(t *testing.T) {
	t.Setenv("TSUNARO_CACHE", t.TempDir())
	done := make(chan struct{})
	var others sync.WaitGroup
	for range 3 {
		others.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if _, err := sandbox.Sweep(); err != nil {
					t.Error(err)
				}
				if s, err := sandbox.Find("one"); err == nil && s != nil {
					t.Error("a lab was found")
				}
			}
		})
	}
	for range 50 {
		s, err := sandbox.New("one")
		if err != nil {
			t.Fatal(err)
		}
		if second, err := sandbox.New("one"); err == nil {
			t.Errorf("claimed twice: %v", second)
		}
		if err := s.Stop(); err != nil {
			t.Fatal(err)
		}
	}
	close(done)
	others.Wait()
	for _, name := range []string{"", "-x", "a/b", "..", "A", "a234567890123456789012345678901"} {
		if _, err := sandbox.New(name); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
}
