package renderer_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"tsunaro.io/gateway/renderer/objects"
)

const shuffles = 200

// TestOrderDoesNotMatter renders each golden input again and again with its
// documents shuffled, the keys of every mapping shuffled, and the text written
// in another style, and wants the same bytes every time.
//
// REQ: RN-01
func TestOrderDoesNotMatter(t *testing.T) {
	for _, in := range goldenInputs(t) {
		input := readFile(t, in)
		want := bytesOf(mustRender(t, input).Objects())
		r := rand.New(rand.NewPCG(1, uint64(len(input))))
		for range shuffles {
			other := rewrite(t, r, input)
			if got := bytesOf(mustRender(t, other).Objects()); !bytes.Equal(got, want) {
				t.Fatalf("%s: other bytes for\n%s", in, other)
			}
		}
	}
}

func bytesOf(list []objects.Object) []byte {
	var b bytes.Buffer
	for _, o := range list {
		b.Write(o.JSON)
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// rewrite says the same in another way: block or flow style, JSON or YAML,
// CRLF, a byte order mark, comments, white space.
func rewrite(t *testing.T, r *rand.Rand, input []byte) []byte {
	t.Helper()
	dec := yaml.NewDecoder(bytes.NewReader(input))
	var docs []string
	for {
		var doc yaml.Node
		if dec.Decode(&doc) != nil {
			break
		}
		shuffle(r, doc.Content[0])
		docs = append(docs, styled(t, r, doc.Content[0]))
	}
	r.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	text := strings.Join(docs, "---\n")
	if r.IntN(4) == 0 {
		text = "# note\n---\n" + text + "---\n"
	}
	if r.IntN(4) == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	if r.IntN(4) == 0 {
		text = "\ufeff" + text
	}
	return []byte(text)
}

// shuffle reorders the keys of every mapping. Lists keep their order, which the
// user chose.
func shuffle(r *rand.Rand, n *yaml.Node) {
	if n.Kind == yaml.MappingNode {
		r.Shuffle(len(n.Content)/2, func(i, j int) {
			n.Content[2*i], n.Content[2*j] = n.Content[2*j], n.Content[2*i]
			n.Content[2*i+1], n.Content[2*j+1] = n.Content[2*j+1], n.Content[2*i+1]
		})
	}
	n.HeadComment, n.LineComment, n.FootComment = "", "", ""
	for _, c := range n.Content {
		shuffle(r, c)
	}
}

func styled(t *testing.T, r *rand.Rand, n *yaml.Node) string {
	t.Helper()
	if r.IntN(3) == 0 {
		var v any
		if err := n.Decode(&v); err != nil {
			t.Fatal(err)
		}
		b, err := json.MarshalIndent(v, "", strings.Repeat(" ", r.IntN(4)))
		if err != nil {
			t.Fatal(err)
		}
		return string(b) + "\n"
	}
	var b bytes.Buffer
	enc := yaml.NewEncoder(&b)
	enc.SetIndent(2 + r.IntN(4))
	if err := enc.Encode(n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
