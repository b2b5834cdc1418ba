package apiserver

import (
	"context"
	"testing"
	"time"
)

func TestQuick(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	t0 := time.Now()
	s, err := Start(ctx, "1.36")
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	t.Log(time.Since(t0))
	r, err := s.Kubectl(ctx, Admin, "", "create", "ns", "tsunaro-system")
	t.Log(r, err)
	r, err = s.Kubectl(ctx, Person, "", "version")
	t.Log(r, err)
	r, err = s.Kubectl(ctx, Person, "", "auth", "whoami")
	t.Log(r, err)
	t0 = time.Now()
	t.Log(s.Restart(ctx), time.Since(t0))
	t0 = time.Now()
	t.Log(s.StartManager(ctx), time.Since(t0))
}
