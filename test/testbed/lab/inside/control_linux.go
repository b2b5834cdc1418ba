package inside

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"tsunaro.io/gateway/test/testbed/lab"
)

func setHostname(name string) error { return syscall.Sethostname([]byte(name)) }

// forward leads each connection of a listener, which belongs to the machine's
// network, to an address in the lab's.
func forward(from net.Listener, to string) {
	for {
		c, err := from.Accept()
		if err != nil {
			return
		}
		go pipe(c, to)
	}
}

func pipe(a net.Conn, to string) {
	defer a.Close()
	b, err := net.Dial("tcp", to)
	if err != nil {
		return // and the client sees its connection closed
	}
	defer b.Close()
	half := func(dst, src net.Conn) {
		_, _ = io.Copy(dst, src) // either side may end it
		if c, ok := dst.(*net.TCPConn); ok {
			_ = c.CloseWrite() // likewise
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		half(a, b)
	}()
	half(b, a)
	<-done
}

// handler is what the lab answers on its control socket.
func (l *Lab) handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /status", func(w http.ResponseWriter, _ *http.Request) { reply(w, l.status()) })
	mux.HandleFunc("POST /run", func(w http.ResponseWriter, r *http.Request) {
		var c lab.Command
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil || len(c.Args) == 0 {
			http.Error(w, "no command", http.StatusBadRequest)
			return
		}
		result, err := l.exec(r, c)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		reply(w, result)
	})
	mux.HandleFunc("POST /components/{name}/{verb}", func(w http.ResponseWriter, r *http.Request) {
		if err := l.change(r); err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	})
	mux.HandleFunc("PUT /components/{name}", func(w http.ResponseWriter, r *http.Request) {
		var c lab.Command
		err := json.NewDecoder(r.Body).Decode(&c)
		if err == nil {
			err = l.further(r.PathValue("name"), c)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusConflict)
		}
	})
	return mux
}

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the other side may be gone
}

func (l *Lab) status() []lab.Component {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]lab.Component, len(l.processes))
	for i, p := range l.processes {
		list[i] = p.status()
	}
	return list
}

// change starts, stops, kills or restarts a component.
func (l *Lab) change(r *http.Request) error {
	p := l.find(r.PathValue("name"))
	if p == nil {
		return errors.New("the lab has no component " + r.PathValue("name"))
	}
	switch verb := r.PathValue("verb"); verb {
	case "start":
		return p.start()
	case "stop":
		return p.stop(syscall.SIGTERM)
	case "kill":
		return p.stop(syscall.SIGKILL)
	default:
		return errors.New("a component cannot be made to " + verb)
	}
}

// further starts a program beside the lab's own components.
func (l *Lab) further(name string, c lab.Command) error {
	if l.find(name) != nil {
		return errors.New("the lab has a component " + name)
	}
	return l.add(name, "", func() *exec.Cmd { return l.shell(c) }).start()
}

func (l *Lab) shell(c lab.Command) *exec.Cmd {
	path := c.Args[0]
	if p := l.program(path); p != "" {
		path = p
	}
	if !strings.Contains(path, "/") {
		if found, err := exec.LookPath(path); err == nil {
			path = found
		}
	}
	cmd := l.command(c.Space, filepath.Clean(path), c.Args[1:]...)
	cmd.Env = append(cmd.Env, c.Env...)
	return cmd
}

func (l *Lab) exec(r *http.Request, c lab.Command) (lab.Result, error) {
	cmd := l.shell(c)
	cmd.Stdin = strings.NewReader(c.Stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		return lab.Result{}, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case <-done:
	case <-r.Context().Done():
		_ = cmd.Process.Kill() // it may have ended
		<-done
	}
	return lab.Result{Stdout: stdout.String(), Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode()}, nil
}
