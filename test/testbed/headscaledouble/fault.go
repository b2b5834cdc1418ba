package headscaledouble

import (
	"bytes"
	"io"
	"net/http"
	"path"
	"slices"
)

// Fault answers in the server's place.
type Fault struct {
	Method string // empty is any
	Path   string // as path.Match takes it; empty is any
	Times  int    // how many requests it answers; 0 is all that follow
	Effect bool   // the request takes effect all the same, and its answer is dropped
	Answer http.HandlerFunc
}

// Fail puts the fault before the server. Of several the first one that fits
// answers.
func (s *Server) Fail(f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = append(s.faults, &f)
}

// Heal takes all faults away.
func (s *Server) Heal() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults = nil
}

// record notes the request and takes the fault that answers it.
func (s *Server) record(r Request) *Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	i := slices.IndexFunc(s.faults, func(f *Fault) bool { return f.fits(r) })
	if i < 0 {
		return nil
	}
	f := s.faults[i]
	if f.Times == 1 {
		s.faults = slices.Delete(s.faults, i, i+1)
	} else if f.Times > 0 {
		f.Times--
	}
	return f
}

func (f *Fault) fits(r Request) bool {
	if f.Method != "" && f.Method != r.Method {
		return false
	}
	matched, err := path.Match(f.Path, r.Path)
	return f.Path == "" || matched && err == nil
}

// Status answers with a status, a content type and a body.
func Status(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body) // the client may be gone
	}
}

// Proxies' answers.
var (
	NoRoute    = Status(http.StatusNotFound, "text/html", "<html><h1>404 page not found</h1>")
	LoginPage  = Status(http.StatusOK, "text/html; charset=utf-8", "<html><form>password</form></html>")
	BadGateway = Status(http.StatusBadGateway, "text/html", "<html>502 Bad Gateway</html>")
)

// Redirect sends the client elsewhere.
func Redirect(url string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Location", url)
		w.WriteHeader(http.StatusFound)
	}
}

// Silent answers nothing until the client gives up.
func Silent(_ http.ResponseWriter, r *http.Request) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler) // returning would still answer a client that is only about to leave
}

// Drop closes the connection without an answer.
func Drop(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// Cut closes the connection in the middle of an answer.
func Cut(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", "1000")
	_, _ = io.WriteString(w, `{"nodes":[`)
	_ = http.NewResponseController(w).Flush() // what was written may arrive or not
	panic(http.ErrAbortHandler)
}

// Oversized answers with JSON of more than size bytes.
func Oversized(size int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"nodes":[]`)
		_, _ = w.Write(bytes.Repeat([]byte(" "), size))
		_, _ = io.WriteString(w, `}`)
	}
}
