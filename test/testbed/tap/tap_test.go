package tap_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"tsunaro.io/gateway/test/testbed/tap"
)

// target is a server that remembers what it was asked to do.
type target struct {
	*httptest.Server
	mu   sync.Mutex
	done []string
}

func newTarget(t *testing.T) *target {
	t.Helper()
	s := &target{}
	s.Server = httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		if r.Method != http.MethodGet {
			s.mu.Lock()
			s.done = append(s.done, r.Method+" "+r.URL.String()+" "+string(body))
			s.mu.Unlock()
		}
		w.Header().Set("Content-Type", "text/x")
		w.WriteHeader(http.StatusCreated)
		_, _ = fmt.Fprintf(w, "%s %s", r.Host, r.Header.Get("Authorization"))
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *target) did() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

// listen puts a tap before a target.
func listen(t *testing.T, all *tap.Tap, name string, s *target) string {
	t.Helper()
	return all.Serve(t, tap.Server{
		Name: name, URL: s.URL, Transport: s.Client().Transport,
		Quiet: func(method, path string) bool { return strings.HasPrefix(path, "/quiet") },
	})
}

// ask sends one request on a connection of its own and returns what came back, or
// "" where nothing did.
func ask(t *testing.T, method, url, body string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer it")
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(r)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	b, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(response.StatusCode, " ", response.Header.Get("Content-Type"), " ", string(b))
}

// Writes to two servers are in one order, with what was read before each; the
// servers see them as they were sent.
func TestOneOrder(t *testing.T) {
	all := tap.New(tap.Options{})
	a, b := newTarget(t), newTarget(t)
	toA, toB := listen(t, all, "a", a), listen(t, all, "b", b)
	ask(t, http.MethodGet, toA+"/one", "")
	ask(t, http.MethodGet, toB+"/two", "")
	if got, want := ask(t, http.MethodPost, toB+"/x?y=z", "body"), "201 text/x "+strings.TrimPrefix(b.URL, "https://")+" Bearer it"; got != want {
		t.Errorf("answer %q, want %q", got, want)
	}
	ask(t, http.MethodPut, toA+"/quiet/1", "")
	ask(t, http.MethodPut, toA+"/x", "")
	writes := all.Writes()
	if len(writes) != 2 {
		t.Fatalf("%d writes: %v", len(writes), writes)
	}
	for i, want := range []struct {
		server, method, path, body string
		reads                      []string
	}{
		{"b", http.MethodPost, "/x", "body", []string{"/one", "/two"}},
		{"a", http.MethodPut, "/x", "", nil},
	} {
		w := writes[i]
		if w.Number != i+1 || w.Server != want.server || w.Method != want.method || w.Path != want.path || string(w.Body) != want.body ||
			w.Status != http.StatusCreated || !strings.HasSuffix(string(w.Answer), "Bearer it") || !reflect.DeepEqual(w.Reads, want.reads) {
			t.Errorf("write %d: %+v", i+1, w)
		}
	}
	if got := a.did(); !reflect.DeepEqual(got, []string{"PUT /quiet/1 ", "PUT /x "}) {
		t.Errorf("a did %v", got)
	}
	if got := b.did(); !reflect.DeepEqual(got, []string{"POST /x?y=z body"}) {
		t.Errorf("b did %v", got)
	}
}

// A cut ends the process: the write is done or not, as the cut says, is never
// answered, and nothing gets through until there is another process.
func TestCut(t *testing.T) {
	for _, cut := range []tap.Cut{tap.Before, tap.After} {
		t.Run(cut.String(), func(t *testing.T) {
			var killed atomic.Int32
			all := tap.New(tap.Options{
				Judge: func(w tap.Write) tap.Cut {
					if w.Number == 2 {
						return cut
					}
					return tap.Pass
				},
				Kill: func() { killed.Add(1) },
			})
			s := newTarget(t)
			url := listen(t, all, "s", s)
			ask(t, http.MethodPost, url+"/1", "")
			if all.Dead() {
				t.Error("dead too early")
			}
			for _, path := range []string{"/2", "/3", "/quiet"} {
				if got := ask(t, http.MethodPost, url+path, ""); got != "" {
					t.Errorf("%s was answered: %s", path, got)
				}
			}
			if got := ask(t, http.MethodGet, url, ""); got != "" {
				t.Errorf("a read was answered: %s", got)
			}
			if n := killed.Load(); n != 1 || !all.Dead() {
				t.Errorf("killed %d times, dead %t", n, all.Dead())
			}
			all.Revive()
			ask(t, http.MethodPost, url+"/4", "")
			want := map[tap.Cut][]string{tap.Before: {"POST /1 ", "POST /4 "}, tap.After: {"POST /1 ", "POST /2 ", "POST /4 "}}[cut]
			if got := s.did(); !reflect.DeepEqual(got, want) {
				t.Errorf("done: %v, want %v", got, want)
			}
			writes := all.Writes()
			if len(writes) != 3 || (writes[1].Status != 0) != (cut == tap.After) || writes[2].Status == 0 {
				t.Errorf("%+v", writes)
			}
		})
	}
}

// What a dead process had connected stays dead.
func TestLives(t *testing.T) {
	all := tap.New(tap.Options{Judge: func(tap.Write) tap.Cut { return tap.Before }, Kill: func() {}})
	s := newTarget(t)
	url := listen(t, all, "s", s)
	old := &http.Client{Transport: &http.Transport{MaxConnsPerHost: 1}}
	get := func() error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := old.Do(r)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, response.Body)
		if err != nil {
			t.Fatal(err)
		}
		return response.Body.Close()
	}
	if err := get(); err != nil {
		t.Fatal(err)
	}
	ask(t, http.MethodPost, url, "")
	all.Revive()
	// A client tries a read again on a new connection, so that only one on the old
	// connection could succeed without being seen here.
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("x"))
	if err != nil {
		t.Fatal(err)
	}
	if response, err := old.Do(r); err == nil {
		_ = response.Body.Close()
		t.Error("a write of the earlier life was answered")
	}
	if n := len(all.Writes()); n != 1 {
		t.Errorf("%d writes, want the one that was cut", n)
	}
}

// What a server sends in pieces arrives in pieces.
func TestWatch(t *testing.T) {
	next := make(chan string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for line := range next {
			_, _ = fmt.Fprintln(w, line)
			_ = http.NewResponseController(w).Flush()
		}
	}))
	t.Cleanup(server.Close)
	url := listen(t, tap.New(tap.Options{}), "s", &target{Server: server})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/?watch=1", nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() { next <- "0" }()
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	for i := range 3 {
		if !lines.Scan() || lines.Text() != fmt.Sprint(i) {
			t.Fatalf("line %d: %q, %v", i, lines.Text(), lines.Err())
		}
		next <- fmt.Sprint(i + 1)
	}
	close(next)
}

// Writes wait for each other unless they may go together.
func TestTogether(t *testing.T) {
	for _, together := range []bool{false, true} {
		t.Run(fmt.Sprint(together), func(t *testing.T) {
			meet := make(chan struct{})
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/waits":
					select {
					case <-meet:
					case <-r.Context().Done():
					}
				case "/opens":
					close(meet)
				}
			}))
			t.Cleanup(server.Close)
			arrived := make(chan tap.Write, 2)
			all := tap.New(tap.Options{Together: together, Judge: func(w tap.Write) tap.Cut { arrived <- w; return tap.Pass }})
			url := listen(t, all, "s", &target{Server: server})
			var both sync.WaitGroup
			both.Go(func() { ask(t, http.MethodPost, url+"/waits", "") })
			<-arrived
			if !together {
				go func() { meet <- struct{}{} }() // nobody else can
				both.Go(func() { ask(t, http.MethodPost, url+"/next", "") })
			} else {
				both.Go(func() { ask(t, http.MethodPost, url+"/opens", "") })
			}
			second := <-arrived
			first := all.Writes()[0]
			if (first.Status != 0) == together || second.Number != 2 {
				t.Errorf("at the second write the first has status %d", first.Status)
			}
			both.Wait()
		})
	}
}
