package tool

import (
	"fmt"
	"io"
	"os"
	"time"
)

// progress says on w that a build begins and, through the function it returns,
// how it ended. On a terminal the elapsed seconds tick in between, because the
// first build of a large tool takes a minute or more.
func progress(w io.Writer, live bool, title string) (done func(error)) {
	start := time.Now()
	seconds := func() string { return fmt.Sprintf("%.0f s", time.Since(start).Seconds()) }
	end := func(err error) {
		if err != nil {
			fmt.Fprintf(w, "could not build %s (%s)\n", title, seconds())
			return
		}
		fmt.Fprintf(w, "built %s in %s\n", title, seconds())
	}
	if !live {
		fmt.Fprintf(w, "building %s (once, then cached)\n", title)
		return end
	}
	const line = "\r\x1b[K" // back to the start of the line, which is cleared
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		tick := time.NewTicker(time.Second)
		defer tick.Stop()
		for {
			fmt.Fprintf(w, "%sbuilding %s (once, then cached) ... %s", line, title, seconds())
			select {
			case <-tick.C:
			case <-stop:
				fmt.Fprint(w, line)
				return
			}
		}
	}()
	return func(err error) {
		close(stop)
		<-stopped
		end(err)
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
