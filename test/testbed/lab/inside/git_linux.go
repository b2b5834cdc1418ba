package inside

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"tsunaro.io/gateway/test/testbed/lab"
	"tsunaro.io/gateway/test/testbed/sandbox"
)

const (
	gitDir  = sandbox.Work + "/git"
	gitCert = gitDir + "/tls.crt"
	gitKey  = gitDir + "/tls.key"
)

// gitSettings are those of whoever runs git in the lab. They are the system's,
// because Argo CD sees no others.
const gitSettings = `[user]
	name = lab
	email = lab@` + lab.GitName + `
[init]
	defaultBranch = main
[safe]
	directory = *
[http "https://` + lab.GitName + `/"]
	sslCAInfo = ` + sandbox.Work + `/access/ca.crt
`

// git plans the server of https://git.example. The cluster's authority vouches for it.
func (l *Lab) git() error {
	cert, key, err := l.access.Serve([]net.IP{net.ParseIP(lab.GitAddress)}, lab.GitName)
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{"git/tls.crt": cert, "git/tls.key": key} {
		if _, err := l.write(name, content); err != nil {
			return err
		}
	}
	if err := os.WriteFile("/etc/gitconfig", []byte(gitSettings), 0o644); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	address := net.JoinHostPort(lab.GitAddress, "443")
	l.serve("git", "https://"+lab.GitName, func() *exec.Cmd { return l.command(lab.OnNode, self, "git") }, listens(address), "network")
	return nil
}

// trust makes a program of Go, which has no settings of git's, trust the server.
func trust(cmd *exec.Cmd) *exec.Cmd {
	cmd.Env = append(cmd.Env, "SSL_CERT_FILE="+filepath.Join(accessDir, "ca.crt"))
	return cmd
}

// listens is ready when somebody takes connections at an address.
func listens(address string) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		c, err := new(net.Dialer).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return c.Close()
	}
}

// ServeGit is the Git server. Whoever pushes to a repository that is not there
// makes it.
func ServeGit() error {
	path, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return err
	}
	s := &gitServer{cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(string(path)), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + gitDir, "GIT_HTTP_EXPORT_ALL=1"},
	}, sync.Mutex{}}
	server := &http.Server{
		Addr: net.JoinHostPort(lab.GitAddress, "443"), Handler: s, ReadHeaderTimeout: time.Minute,
		TLSConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	return server.ListenAndServeTLS(gitCert, gitKey)
}

type gitServer struct {
	backend cgi.Handler
	mu      sync.Mutex
}

// pushed matches the first request of a push.
var pushed = regexp.MustCompile(`^/([a-z0-9-]+\.git)/info/refs$`)

func (s *gitServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if m := pushed.FindStringSubmatch(r.URL.Path); m != nil && r.URL.Query().Get("service") == "git-receive-pack" {
		if err := s.create(m[1]); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	s.backend.ServeHTTP(w, r)
}

func (s *gitServer) create(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	dir := filepath.Join(gitDir, name)
	if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, args := range [][]string{{"init", "--quiet", "--bare", dir}, {"-C", dir, "config", "http.receivepack", "true"}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}
