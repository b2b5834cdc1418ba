package health

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	lua "github.com/yuin/gopher-lua"

	"tsunaro.io/gateway/health/corpus"
)

// script is one of Argo CD's scripts, compiled.
type script struct{ *lua.FunctionProto }

// load compiles a script of a kind.
func load(t testing.TB, kind, name string) script {
	t.Helper()
	l := lua.NewState()
	defer l.Close()
	f, err := l.LoadFile(filepath.Join(root, corpus.Customizations, kind, name))
	if err != nil {
		t.Fatal(err)
	}
	return script{f.Proto}
}

// run runs the script on an object with no more than Argo CD gives it: the base
// functions, table, and an os that knows nothing but the date. The result is a value
// as JSON has it.
func (s script) run(object map[string]any) (any, error) {
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	for name, open := range map[string]lua.LGFunction{
		lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable,
	} {
		if err := l.CallByParam(lua.P{Fn: l.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			return nil, err
		}
	}
	l.PreloadModule(lua.OsLibName, safeOS)
	l.SetGlobal("obj", toLua(l, object))
	l.Push(l.NewFunctionFromProto(s.FunctionProto))
	if err := l.PCall(0, 1, nil); err != nil {
		return nil, err
	}
	return fromLua(l.Get(-1)), nil
}

// now is the time to every script.
var now = time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)

func safeOS(l *lua.LState) int {
	l.Push(l.SetFuncs(l.NewTable(), map[string]lua.LGFunction{"date": func(l *lua.LState) int {
		if format := l.CheckString(1); format != "!%Y-%m-%dT%XZ" {
			l.RaiseError("no such format: %s", format)
		}
		l.Push(lua.LString(now.Format(time.RFC3339)))
		return 1
	}}))
	return 1
}

func toLua(l *lua.LState, v any) lua.LValue {
	switch v := v.(type) {
	case nil:
		return lua.LNil
	case bool:
		return lua.LBool(v)
	case int64:
		return lua.LNumber(v)
	case float64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case []any:
		table := l.NewTable()
		for _, item := range v {
			table.Append(toLua(l, item))
		}
		return table
	case map[string]any:
		table := l.NewTable()
		for key, item := range v {
			table.RawSetString(key, toLua(l, item))
		}
		return table
	}
	panic(fmt.Sprintf("%T is nothing that JSON has", v))
}

// fromLua takes an empty table for an object: Lua cannot tell it from a list.
func fromLua(v lua.LValue) any {
	switch v := v.(type) {
	case lua.LBool:
		return bool(v)
	case lua.LNumber:
		return float64(v)
	case lua.LString:
		return string(v)
	case *lua.LTable:
		if v.Len() > 0 {
			list := []any{}
			v.ForEach(func(_, item lua.LValue) { list = append(list, fromLua(item)) })
			return list
		}
		object := map[string]any{}
		v.ForEach(func(key, item lua.LValue) { object[key.String()] = fromLua(item) })
		return object
	}
	return nil
}

// root is the directory health.
var root = filepath.Join("..", "..", "health")

// read returns a file below root.
func read(t testing.TB, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
