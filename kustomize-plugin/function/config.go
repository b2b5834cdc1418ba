package function

import (
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/rules"
)

// config is the function's configuration.
type config struct {
	resourcesOnly bool     // emit: Resources
	inputs        []string // files and directories to read besides the items
}

// readConfig reads a GatewayRender. A ConfigMap with the same fields as data is
// how kpt passes simple settings; no configuration means all defaults.
func readConfig(d document.Document, findings *[]rules.Finding) config {
	root := document.Root(d, findings)
	switch {
	case d.APIVersion == "v1" && d.Kind == "ConfigMap":
		return readSpec(root.Get("data"))
	case d.APIVersion == api.RenderAPIVersion && d.Kind == api.KindRender:
		for _, field := range []string{"apiVersion", "kind", "metadata"} {
			root.Get(field)
		}
		defer root.Close() // emit beside spec would otherwise go unheard
		return readSpec(root.Get("spec"))
	case d.APIVersion == api.APIVersion:
		root.Report(rules.BareConfig, "")
	case d.Kind == api.KindRender:
		root.Get("apiVersion").Report(rules.FunctionConfig, "")
	default:
		root.Get("kind").Report(rules.FunctionConfig, "")
	}
	return config{}
}

func readSpec(v document.Value) config {
	var c config
	if !v.Exists() || v.Null() {
		return c
	}
	spec, ok := v.Object()
	if !ok {
		return c
	}
	defer spec.Close()
	if emit := spec.Get("emit"); emit.Exists() && !emit.Null() {
		switch s, ok := emit.Str(); {
		case !ok || s == "All":
		case s == "Resources":
			c.resourcesOnly = true
		default:
			emit.Report(rules.Emit, "")
		}
	}
	if inputs := spec.Get("inputs"); inputs.Exists() && !inputs.Null() {
		list, _ := inputs.List()
		for _, e := range list {
			if s, ok := e.Str(); ok {
				c.inputs = append(c.inputs, s)
			}
		}
	}
	return c
}
