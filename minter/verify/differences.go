package verify

import (
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// differences returns the paths of the places, as deep as possible, in which two
// JSON values differ, in order of the keys and elements.
func differences(want, have any) []string {
	var d differ
	d.compare("", want, have)
	return d.paths
}

type differ struct{ paths []string }

func (d *differ) compare(path string, want, have any) {
	w, wMap := want.(map[string]any)
	h, hMap := have.(map[string]any)
	wl, wList := want.([]any)
	hl, hList := have.([]any)
	switch {
	case wMap && hMap:
		d.maps(path, w, h)
	case wList && hList:
		d.lists(path, wl, hl)
	case !reflect.DeepEqual(want, have):
		d.paths = append(d.paths, strings.TrimPrefix(path, "."))
	}
}

func (d *differ) maps(path string, want, have map[string]any) {
	keys := slices.AppendSeq(slices.Collect(maps.Keys(want)), maps.Keys(have))
	slices.Sort(keys)
	for _, k := range slices.Compact(keys) {
		d.compare(path+step(k), want[k], have[k])
	}
}

// lists compares by position, or by name where all elements of both lists have
// one of their own: one container more is then one difference. Other names, or
// the same ones in another order, are a difference of their own.
func (d *differ) lists(path string, want, have []any) {
	w, wNamed := names(want)
	h, hNamed := names(have)
	if !wNamed || !hNamed {
		for i := range max(len(want), len(have)) {
			d.compare(path+"["+strconv.Itoa(i)+"]", element(want, i), element(have, i))
		}
		return
	}
	before := len(d.paths)
	for i, name := range w {
		d.compare(path+"["+name+"]", want[i], element(have, slices.Index(h, name)))
	}
	for i, name := range h {
		if !slices.Contains(w, name) {
			d.compare(path+"["+name+"]", nil, have[i])
		}
	}
	if len(d.paths) == before && !slices.Equal(w, h) {
		d.paths = append(d.paths, strings.TrimPrefix(path, "."))
	}
}

// element returns nil, which no JSON list of the nine holds, beyond the list.
func element(list []any, i int) any {
	if i < 0 || i >= len(list) {
		return nil
	}
	return list[i]
}

// names returns the field name of every element; ok is false if one has none, or
// two have the same.
func names(list []any) (names []string, ok bool) {
	for _, e := range list {
		object, _ := e.(map[string]any)
		name, _ := object["name"].(string)
		if name == "" || slices.Contains(names, name) {
			return nil, false
		}
		names = append(names, name)
	}
	return names, true
}

// step writes a key behind a path: .spec, or [zone.db] where the key holds a
// character that separates.
func step(key string) string {
	if strings.ContainsAny(key, "./[") {
		return "[" + key + "]"
	}
	return "." + key
}
