package lab

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A machine with nothing: what is missing is named, and installed by apt-get.
func TestMissingPackages(t *testing.T) {
	bin := t.TempDir()
	t.Setenv("PATH", bin)
	list, err := missing([]Part{Headscale})
	if want := []string{"iproute2", "nftables", "util-linux"}; err != nil || !slices.Equal(list, want) {
		t.Errorf("%v, %v, want %v", list, err, want)
	}
	if err := install(list); err == nil || !strings.Contains(err.Error(), "iproute2 nftables util-linux") {
		t.Errorf("without apt-get: %v", err)
	}
	log := filepath.Join(bin, "log")
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("apt-get", `echo "$@" >> `+log+"\n")
	if err := install(list); err != nil {
		t.Error(err)
	}
	said, err := os.ReadFile(log)
	if want := "update -qq\ninstall -y -qq --no-install-recommends iproute2 nftables util-linux\n"; err != nil || string(said) != want {
		t.Errorf("apt-get was called with %q, want %q: %v", said, want, err)
	}
	write("apt-get", "echo no mirror; exit 100\n")
	if err := install(list); err == nil || !strings.Contains(err.Error(), "no mirror") {
		t.Errorf("apt-get failed: %v", err)
	}
	for _, p := range packages {
		write(p.program, "")
	}
	if list, err := missing([]Part{Headscale}); err != nil || len(list) != 0 {
		t.Errorf("%v, %v, want none", list, err)
	}
}

func TestParts(t *testing.T) {
	for names, want := range map[string][]Part{
		"":                   Parts,
		"laptop":             {Headscale, Laptop},
		"lan,node":           {ControlPlane, Node, LAN},
		"headscale,lan,node": {ControlPlane, Node, Headscale, LAN},
	} {
		got, err := ParseParts(strings.FieldsFunc(names, func(r rune) bool { return r == ',' }))
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", names, got, err, want)
		}
	}
	if _, err := ParseParts([]string{"moon"}); err == nil || !strings.Contains(err.Error(), "moon") {
		t.Errorf("got %v", err)
	}
}
