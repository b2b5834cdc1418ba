package headscaledouble

import (
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"tsunaro.io/gateway/minter/node"
)

// apiKey is a key of the REST API.
type apiKey struct {
	id      node.ID
	bytes   string
	expires time.Time
	created time.Time
}

// CreateAPIKey makes a key for the REST API that is valid for a lifetime, which
// may be negative.
func (s *Server) CreateAPIKey(lifetime time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.addAPIKey(s.options.Now().Add(lifetime)).bytes
}

func (s *Server) addAPIKey(expires time.Time) *apiKey {
	k := &apiKey{
		id:    node.ID(strconv.Itoa(len(s.apiKeys) + 1)),
		bytes: "hskey-api-" + random(prefixLength) + "-" + random(secretLength), expires: expires, created: s.options.Now(),
	}
	s.apiKeys = append(s.apiKeys, k)
	return k
}

func (s *Server) authorized(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	return ok && slices.ContainsFunc(s.apiKeys, func(k *apiKey) bool { return k.bytes == token && s.options.Now().Before(k.expires) })
}

type wireAPIKey struct {
	ID         node.ID `json:"id"`
	Prefix     string  `json:"prefix"`
	Expiration *string `json:"expiration"`
	CreatedAt  *string `json:"createdAt"`
	LastSeen   *string `json:"lastSeen"`
}

func (s *Server) listAPIKeys(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []wireAPIKey{}
	for _, k := range s.apiKeys {
		all = append(all, wireAPIKey{ID: k.id, Prefix: mask(k.bytes), Expiration: stamp(k.expires), CreatedAt: stamp(k.created)})
	}
	reply(w, http.StatusOK, map[string]any{"apiKeys": all})
}

func (s *Server) createAPIKey(w http.ResponseWriter, r *http.Request) {
	var q struct{ Expiration time.Time }
	if !s.body(w, r, &q) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	reply(w, http.StatusOK, map[string]any{"apiKey": s.addAPIKey(q.Expiration).bytes})
}

// expireAPIKey takes a prefix in its short and in its shown form, or an id.
func (s *Server) expireAPIKey(w http.ResponseWriter, r *http.Request) {
	var q struct {
		ID     number
		Prefix string
	}
	if !s.body(w, r, &q) {
		return
	}
	if (q.ID == 0) == (q.Prefix == "") {
		s.fail(w, invalid, "must provide id or prefix")
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.apiKeys {
		shown := mask(k.bytes)
		short := strings.TrimSuffix(strings.TrimPrefix(shown, "hskey-api-"), "-***")
		if string(k.id) == q.ID.String() || q.Prefix == short || q.Prefix == shown {
			k.expires = s.options.Now()
			reply(w, http.StatusOK, struct{}{})
			return
		}
	}
	missing := unknown // 0.29 has no better word for it
	if s.options.Next {
		missing = notFound
	}
	s.fail(w, missing, "record not found")
}
