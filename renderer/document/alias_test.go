package document

import (
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// TestAliases: an alias means what it stands for, and nothing beside it changes:
// an object that passes through is written as it came (B01).
func TestAliases(t *testing.T) {
	docs, findings := Parse("", []byte(`apiVersion: v1
kind: ConfigMap
metadata: {name: x}
base: &base {a: 1.10, b: 0777}
merged: {<<: *base, b: own}
both: {<<: [*base, {b: 2, c: 3}]}
again: *base
day: 2020-01-01 # a date
`))
	if len(findings) > 0 || len(docs) != 1 {
		t.Fatal(docs, findings)
	}
	text, err := yaml.Marshal(docs[0].Node())
	const want = `apiVersion: v1
kind: ConfigMap
metadata: {name: x}
base: {a: 1.10, b: 0777}
merged: {b: own, a: 1.10}
both: {a: 1.10, b: 0777, c: 3}
again: {a: 1.10, b: 0777}
day: 2020-01-01 # a date
`
	if err != nil || string(text) != want {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestHostileAliases: neither a bomb nor an anchor within itself is followed far.
func TestHostileAliases(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i, names := 1, "0123456789"; i < len(names); i++ {
		bomb += "a" + names[i:i+1] + ": &a" + names[i:i+1] + " [" + strings.Repeat("*a"+names[i-1:i]+", ", 9) + "*a" + names[i-1:i] + "]\n"
	}
	for _, text := range []string{bomb, "a: &a [*a]\n", "a: &a {b: *a}\n", "a: &a {<<: *a}\n", "a: &a 1\nb: {<<: *a}\n", "a: &a 1\nb: {<<: [*a]}\n"} {
		start := time.Now()
		if docs, findings := Parse("", []byte(text)); len(docs) > 0 || len(findings) != 1 {
			t.Errorf("%.40q: %v %v", text, docs, findings)
		}
		if d := time.Since(start); d > 10*time.Second {
			t.Errorf("%.40q took %v", text, d)
		}
	}
}
