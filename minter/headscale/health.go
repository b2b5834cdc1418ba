package headscale

import (
	"context"
	"net/http"
)

// Version is what the server says it is: v0.29.3.
func (c *Client) Version(ctx context.Context) (string, error) {
	return ask(ctx, c, query{op: GetVersion, method: http.MethodGet, path: "/version", anonymous: true}, parseVersion)
}

// Health asks whether the server has its database. It sends no key and so says
// nothing about it.
func (c *Client) Health(ctx context.Context) error {
	q := query{op: GetHealth, method: http.MethodGet, path: "/health", anonymous: true, media: healthType}
	_, err := ask(ctx, c, q, func(body []byte) (struct{}, bool) { return struct{}{}, health(body, "pass") })
	return err
}

func health(body []byte, status string) bool {
	var a struct {
		Status string `json:"status"`
	}
	return decode(body, &a) && a.Status == status
}

// parseVersion lets only through what may be shown: a version is nobody's text.
func parseVersion(body []byte) (string, bool) {
	const longest = 64
	var a struct {
		Version string `json:"version"`
	}
	if !decode(body, &a) || a.Version == "" || len(a.Version) > longest {
		return "", false
	}
	for _, c := range a.Version {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '-', c == '+':
		default:
			return "", false
		}
	}
	return a.Version, true
}
