package tap

import (
	"net/http"
	"time"
)

// Write is one request that may change something.
type Write struct {
	Number int       // from 1, in the order of arrival at the tap
	At     time.Time // of the arrival
	Server string    // its name

	Method, Path string
	ContentType  string // of Body
	Body         []byte // as it was sent

	Status int    // of the answer; 0: the server was not asked, or did not answer
	Answer []byte // its body, as it was sent

	// Reads are the paths of the reads since the write before it, in the order of
	// their arrival.
	Reads []string
}

// Cut says what becomes of a write.
type Cut uint8

// The cuts. With all but Pass the process ends, and no later request of its reaches
// a server.
const (
	Pass   Cut = iota
	Before     // the write never reaches the server
	After      // the server has done it and answered, and the process never learns that
)

// String names the cut.
func (c Cut) String() string { return [...]string{"not at all", "before", "after"}[c] }

// reads reports whether a request cannot change anything.
func reads(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead || r.Method == http.MethodOptions
}
