// Command pause is the first process of a Pod in the lab: it holds the Pod's
// namespaces open until a signal ends it, and reaps the processes that lose their
// parent where the Pod's containers share a PID namespace.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for s := range signals {
		if s != syscall.SIGCHLD {
			return
		}
		reap()
	}
}

// reap waits for every child that has ended: one signal may stand for several.
func reap() {
	for {
		switch pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); {
		case err == syscall.EINTR:
		case err != nil || pid == 0:
			return
		}
	}
}
