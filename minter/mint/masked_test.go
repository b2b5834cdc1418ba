package mint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whose a key is cannot be told from Headscale's list, in which keys are masked:
// none of the pure packages takes, holds or returns more than one key.
//
// REQ: MT-08
func TestNoListOfKeys(t *testing.T) {
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	looked := 0
	for _, path := range files {
		pkg := filepath.Base(filepath.Dir(path))
		if pkg == "headscale" || strings.HasSuffix(path, "_test.go") { // the client may list them
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, data, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		looked++
		ast.Inspect(file, func(n ast.Node) bool {
			var element ast.Expr
			switch n := n.(type) {
			case *ast.ArrayType:
				element = n.Elt
			case *ast.MapType:
				element = n.Value
			case *ast.Ellipsis:
				element = n.Elt
			}
			if element != nil {
				if text := strings.TrimPrefix(types.ExprString(element), "*"); text == "node.Key" || pkg == "node" && text == "Key" {
					t.Errorf("%s has a list of keys", path)
				}
			}
			return true
		})
	}
	if looked < 20 {
		t.Errorf("%d files, want at least 20", looked)
	}
}
