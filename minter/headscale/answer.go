package headscale

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"slices"

	strict "sigs.k8s.io/json"
)

// limit bounds every answer, in bytes: a list of some 12,000 nodes.
const limit = 16 << 20

// read reads a whole answer.
func read(ctx context.Context, body io.Reader) ([]byte, Class) {
	data, err := io.ReadAll(io.LimitReader(body, limit+1))
	switch {
	case err != nil && late(ctx, err):
		return nil, Timeout
	case err != nil:
		return nil, Unreachable
	case len(data) > limit:
		return nil, TooLarge
	}
	return data, OK
}

// Media types that Headscale answers with.
const (
	plainType   = "text/plain"
	jsonType    = "application/json"
	problemType = "application/problem+json" // from 0.30
	healthType  = "application/health+json"
)

// judge classifies a whole answer by status, content type and shape (B21, B25).
// A success has the media type that is wanted.
func judge(status int, contentType string, body []byte, want string) answer {
	media, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		media = ""
	}
	a := answer{class: NotHeadscale, body: body, uncertain: true}
	a.passing = status == http.StatusBadGateway || status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout
	switch {
	case status == http.StatusOK && media == want:
		a.class = OK
	case !own(status, media, body):
	case status == http.StatusUnauthorized:
		a.class, a.uncertain = Unauthorized, false
	case status == http.StatusNotFound:
		a.class, a.uncertain = NotFound, false
	default:
		// Above 500, and with 499 for a request that was given up, Headscale's front
		// part says that it does not know what came of it.
		const givenUp = 499
		a.class, a.uncertain = Refused, status > http.StatusInternalServerError || status == givenUp
	}
	return a
}

// own reports whether an error is in one of Headscale's own forms.
func own(status int, media string, body []byte) bool {
	if status < http.StatusBadRequest {
		return false
	}
	switch media {
	case plainType:
		return status == http.StatusUnauthorized && string(bytes.TrimSpace(body)) == "Unauthorized"
	case jsonType:
		const notFound = 5 // gRPC's code, which goes with 404 and nothing else
		var e struct {
			Code    int               `json:"code"`
			Message *string           `json:"message"`
			Details []json.RawMessage `json:"details"`
		}
		return decode(body, &e) && e.Code > 0 && e.Message != nil && e.Details != nil &&
			(e.Code == notFound) == (status == http.StatusNotFound)
	case problemType:
		var e struct {
			Title  string `json:"title"`
			Status int    `json:"status"`
		}
		return decode(body, &e) && e.Title != "" && e.Status == status
	case healthType:
		return health(body, "fail")
	}
	return false
}

// decode reads one JSON value: names are compared exactly, none is there twice,
// and nothing follows. Fields that v does not have are let be.
func decode(body []byte, v any) bool {
	double, err := strict.UnmarshalStrict(body, v, strict.DisallowDuplicateFields)
	return err == nil && len(double) == 0
}

// only decodes an object that has no fields but these: another could say that
// something is left over, or that it is somebody else's object. $schema is a link
// that 0.30 may add.
func only(body []byte, names ...string) (map[string]json.RawMessage, bool) {
	var fields map[string]json.RawMessage
	if !decode(body, &fields) || fields == nil {
		return nil, false
	}
	for name := range fields {
		if name != "$schema" && !slices.Contains(names, name) {
			return nil, false
		}
	}
	return fields, true
}

// done parses the answer to a request that returns nothing.
func done(body []byte) (struct{}, bool) {
	_, ok := only(body)
	return struct{}{}, ok
}

// list returns the elements of a list that is whole.
func list(body []byte, field string) (json.RawMessage, bool) {
	fields, ok := only(body, field)
	return fields[field], ok && len(fields[field]) > 0
}
