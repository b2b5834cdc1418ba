package digest

import (
	"slices"

	"tsunaro.io/gateway/renderer/api"
)

// Class says why a field may differ from what was rendered.
type Class int

// The classes.
const (
	Allocated Class = iota + 1 // the API server chooses the value when the object is created (RN-06)
	Live                       // the minter's once the object exists (DL-06, DL-07)
	Mutable                    // the engine may change it on a complete gateway (UP-02, UP-11)
)

// Field is a place in one kind of the nine.
type Field struct {
	Class Class
	Kind  string
	Type  string   // only Services of this type; empty for all objects of the kind
	Path  []string // keys; in a list "*" is every item, and any other step the items of that name
}

// Fields is the one table of fields that may differ. Of metadata it lists only
// tsunaro.io/ keys: the rest is anybody's.
var Fields = []Field{
	{Allocated, "Service", "LoadBalancer", []string{"spec", "clusterIP"}},
	{Allocated, "Service", "LoadBalancer", []string{"spec", "clusterIPs"}},
	{Allocated, "Service", "LoadBalancer", []string{"spec", "healthCheckNodePort"}},

	{Live, "ConfigMap", "", []string{"data", api.DataCorefile}},
	{Live, "ConfigMap", "", []string{"data", api.DataZone}},
	{Live, "ConfigMap", "", []string{"data", api.DataHosts}},
	{Live, "ConfigMap", "", []string{"metadata", "annotations", api.AnnotationDNSSerial}},
	{Live, "ConfigMap", "", []string{"metadata", "annotations", api.AnnotationDNSHash}},

	{Mutable, "Service", "LoadBalancer", []string{"metadata", "annotations", api.AnnotationPoolLabelKeys}},
	{Mutable, "StatefulSet", "", []string{"spec", "template", "spec", "initContainers", "*", "image"}},
	{Mutable, "StatefulSet", "", []string{"spec", "template", "spec", "containers", "*", "image"}},
	{Mutable, "StatefulSet", "", []string{"spec", "template", "spec", "containers", "*", "env", "TS_ROUTES", "value"}},
}

// Blank removes the fields of the given classes from an object, which is a JSON
// object as encoding/json decodes it and is changed in place.
func Blank(object map[string]any, classes ...Class) {
	for _, f := range Fields {
		if slices.Contains(classes, f.Class) && f.of(object) {
			remove(object, f.Path)
		}
	}
}

func (f Field) of(object map[string]any) bool {
	spec, _ := object["spec"].(map[string]any)
	return object["kind"] == f.Kind && (f.Type == "" || spec["type"] == f.Type)
}

func remove(value any, path []string) {
	switch v := value.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(v, path[0])
		} else {
			remove(v[path[0]], path[1:])
		}
	case []any:
		for _, item := range v {
			named, _ := item.(map[string]any)
			if path[0] == "*" || named["name"] == path[0] {
				remove(item, path[1:])
			}
		}
	}
}
