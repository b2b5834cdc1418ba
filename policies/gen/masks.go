package main

import "tsunaro.io/gateway/renderer/digest"

// classes are the names of the classes of the mask in the data.
var classes = map[digest.Class]string{digest.Allocated: "Allocated", digest.Live: "Live", digest.Mutable: "Mutable"}

// masks are the fields in which a live object may differ from its rendering, by
// class and by the role that the policies give an object: its kind, and lb for
// the Service of type LoadBalancer.
func masks() map[string]map[string][][]string {
	all := map[string]map[string][][]string{}
	for _, name := range classes {
		all[name] = map[string][][]string{}
	}
	for _, f := range digest.Fields {
		role := f.Kind
		if f.Type == "LoadBalancer" {
			role = "lb"
		}
		of := all[classes[f.Class]]
		of[role] = append(of[role], f.Path)
	}
	return all
}
