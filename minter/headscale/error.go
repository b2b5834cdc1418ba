package headscale

import "errors"

// Op names a request, also as a label of metrics.
type Op string

// The requests.
const (
	ListNodes     Op = "list-nodes"
	GetNode       Op = "get-node"
	DeleteNode    Op = "delete-node"
	ApproveRoutes Op = "approve-routes"
	CreateKey     Op = "create-key"
	ExpireKey     Op = "expire-key"
	ListKeys      Op = "list-keys"
	CreateAPIKey  Op = "create-api-key"
	ExpireAPIKey  Op = "expire-api-key"
	ListAPIKeys   Op = "list-api-keys"
	GetVersion    Op = "version"
	GetHealth     Op = "health"
)

// Class is what is known after a request.
type Class string

// The classes. Only OK, NotFound, Refused and Unauthorized are Headscale's word.
const (
	OK           Class = "ok"
	Unreachable  Class = "unreachable"   // no connection, or it broke
	TLS          Class = "tls"           // the certificate is not trusted, or no TLS is spoken
	Timeout      Class = "timeout"       // no whole answer in time, or the caller gave up
	Unauthorized Class = "unauthorized"  // the API key is wrong or expired
	NotFound     Class = "not-found"     // no such thing, or no such route: the answers are the same (Gone)
	Refused      Class = "refused"       // Headscale's own error; its text is not read
	NotHeadscale Class = "not-headscale" // somebody else answered, or Headscale in a form that is not known
	TooLarge     Class = "too-large"     // the answer is longer than any that is expected
	Lost         Class = "lost"          // a key may have been minted, and nobody has it
)

var texts = map[Class]string{
	Unreachable:  "Headscale cannot be reached",
	TLS:          "no trusted TLS connection to Headscale",
	Timeout:      "Headscale did not answer in time",
	Unauthorized: "Headscale does not accept the API key",
	NotFound:     "Headscale does not know it",
	Refused:      "Headscale refused the request",
	NotHeadscale: "the answer is not Headscale's",
	TooLarge:     "the answer is too large",
	Lost:         "the answer was lost and a key may have been minted",
}

// Error is every error of a request. Its text is fixed.
type Error struct {
	Op    Op
	Class Class
	Cause Class // with Lost: what was seen instead of the answer
}

// Error returns the fixed text.
func (e *Error) Error() string {
	if e.Class == Lost {
		return string(e.Op) + ": " + texts[Lost] + " (" + texts[e.Cause] + ")"
	}
	return string(e.Op) + ": " + texts[e.Class]
}

// ClassOf is OK without an error, and else the class of the Error in it; an error
// that holds none has the class "".
func ClassOf(err error) Class {
	if err == nil {
		return OK
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Class
	}
	return ""
}
