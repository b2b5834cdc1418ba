package cluster

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"tsunaro.io/gateway/minter/observe"
)

// Only the answer that there is no such object is an absence.
//
// REQ: ST-06
func TestFacts(t *testing.T) {
	const status = `{"apiVersion":"v1","kind":"Status","status":"Failure",`
	for _, c := range []struct {
		why    string
		code   int
		answer string
		absent bool
		class  observe.Class
	}{
		{"there is none", 404, status + `"reason":"NotFound","code":404,"details":{"name":"a","kind":"configmaps"}}`, true, ""},
		{"there is no such kind", 404, "404 page not found\n", false, observe.Unreadable},
		{"no right", 403, status + `"reason":"Forbidden","code":403}`, false, observe.Denied},
		{"nobody", 401, status + `"reason":"Unauthorized","code":401}`, false, observe.Denied},
		{"too many", 429, status + `"reason":"TooManyRequests","code":429}`, false, observe.Unreachable},
		{"a fault", 500, status + `"reason":"InternalError","code":500}`, false, observe.Unreachable},
		{"a proxy", 502, "<html>Bad Gateway</html>", false, observe.Unreachable},
		{"no JSON", 200, "hello", false, observe.Unreachable},
		{"of another kind", 200, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":["x"]}`, false, observe.Unreadable},
		{"no answer in time", 0, "", false, observe.Unreachable},
	} {
		release := make(chan struct{})
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if c.code == 0 {
				select {
				case <-release:
				case <-r.Context().Done():
				}
				return
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(c.code)
			_, _ = w.Write([]byte(c.answer))
		}))
		from, err := New(&rest.Config{Host: s.URL, Timeout: 200 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		fact := get[corev1.ConfigMap](t.Context(), from, configMaps, "x", "a")
		if fact.Known() || fact.Absent() != c.absent || fact.Class() != c.class {
			t.Errorf("%s: known %t, absent %t, %s; want absent %t, %s", c.why, fact.Known(), fact.Absent(), fact.Class(), c.absent, c.class)
		}
		if about := from.about(t.Context(), "x", "a"); about.Known() && c.code != 200 || about.Absent() != c.absent {
			t.Errorf("%s: metadata known %t, absent %t", c.why, about.Known(), about.Absent())
		}
		close(release)
		s.Close()
	}
}
