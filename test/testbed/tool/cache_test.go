package tool

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestFileIsWrittenOncePerKey(t *testing.T) {
	b := tree(t)
	times := 0
	write := func(path string) error {
		times++
		return os.WriteFile(path, []byte("content"), 0o644)
	}
	keep := func(key byte) string {
		t.Helper()
		path, err := b.keep("thing", b.place("thing", "thing.tar", [32]byte{key}), write)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	first := keep(1)
	if again := keep(1); again != first || times != 1 {
		t.Errorf("the same key: %s, then %s, written %d times", first, again, times)
	}
	if other := keep(2); other == first || times != 2 {
		t.Errorf("another key: %s, then %s, written %d times", first, other, times)
	}
	if content, err := os.ReadFile(first); err != nil || string(content) != "content" || filepath.Base(first) != "thing.tar" {
		t.Errorf("%s holds %q, %v", first, content, err)
	}
}

func TestHalfAFileIsNone(t *testing.T) {
	b := tree(t)
	path := b.place("thing", "thing.tar", [32]byte{})
	full := errors.New("no space")
	half := func(path string) error {
		return errors.Join(os.WriteFile(path, []byte("half"), 0o644), full)
	}
	for range 2 {
		if got, err := b.keep("thing", path, half); !errors.Is(err, full) || got != "" {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: %v", path, err)
	}
}
