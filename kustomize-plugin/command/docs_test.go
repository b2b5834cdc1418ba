package command_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/kustomize-plugin/command"
)

// TestDNSPage: what docs/dns.md says that explain prints is what it prints.
func TestDNSPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/dns.md")
	if err != nil {
		t.Fatal(err)
	}
	input, want := fenced(t, string(page), "yaml"), fenced(t, string(page), "text")
	var out, log bytes.Buffer
	if code := command.Run([]string{"explain", "-"}, commandline.Streams{In: strings.NewReader(input), Out: &out, Err: &log}); code != commandline.ExitOK {
		t.Fatalf("exit code %d: %s", code, &log)
	}
	if !strings.HasSuffix(out.String(), want) {
		t.Errorf("got\n%s\nwant at its end\n%s", &out, want)
	}
}

// fenced returns the one block of that language in a Markdown text.
func fenced(t *testing.T, text, language string) string {
	t.Helper()
	parts := strings.Split(text, "```"+language+"\n")
	if len(parts) != 2 {
		t.Fatalf("%d blocks of %s, want one", len(parts)-1, language)
	}
	block, _, ok := strings.Cut(parts[1], "```")
	if !ok {
		t.Fatal("a block without an end")
	}
	return block
}
