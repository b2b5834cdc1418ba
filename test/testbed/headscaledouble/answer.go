package headscaledouble

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"
)

// code is gRPC's, which 0.29 puts beside HTTP's.
type code int

const (
	unknown       code = 2
	invalid       code = 3
	notFound      code = 5
	unimplemented code = 12
)

var statuses = map[code]int{
	unknown: http.StatusInternalServerError, invalid: http.StatusBadRequest,
	notFound: http.StatusNotFound, unimplemented: http.StatusNotImplemented,
}

// fail writes an error in the version's form.
func (s *Server) fail(w http.ResponseWriter, c code, message string) {
	status := statuses[c]
	if s.options.Next {
		w.Header().Set("Content-Type", "application/problem+json")
		write(w, status, struct {
			Title  string `json:"title"`
			Status int    `json:"status"`
			Detail string `json:"detail"`
		}{http.StatusText(status), status, message})
		return
	}
	reply(w, status, struct {
		Code    code   `json:"code"`
		Message string `json:"message"`
		Details []any  `json:"details"`
	}{c, message, []any{}})
}

// reply writes an answer as JSON.
func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	write(w, status, v)
}

func write(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // of our own types
	}
	w.WriteHeader(status)
	_, _ = w.Write(data) // the client may be gone
}

// body reads a request's JSON as 0.29 does: unknown fields are ignored. What it
// cannot read it refuses itself.
func (s *Server) body(w http.ResponseWriter, r *http.Request, v any) bool {
	data, err := io.ReadAll(r.Body)
	if err == nil {
		err = json.Unmarshal(data, v)
	}
	if err != nil {
		s.fail(w, invalid, "the body cannot be read")
	}
	return err == nil
}

// number is a 64-bit number of a request, written as one or as a string.
type number uint64

// UnmarshalJSON reads both forms, canonically spelt.
func (n *number) UnmarshalJSON(data []byte) error {
	var s string
	if json.Unmarshal(data, &s) != nil {
		s = string(data)
	}
	v, err := strconv.ParseUint(s, 10, 64)
	if err == nil && strconv.FormatUint(v, 10) != s {
		err = strconv.ErrSyntax
	}
	*n = number(v)
	return err
}

func (n number) String() string { return strconv.FormatUint(uint64(n), 10) }

// stamp is a time in answers: nil for none.
func stamp(t time.Time) *string {
	s := t.UTC().Format(time.RFC3339Nano)
	return &s
}
