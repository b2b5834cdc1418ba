package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"tsunaro.io/gateway/health/view"
	"tsunaro.io/gateway/internal/commandline"
	"tsunaro.io/gateway/kustomize-plugin/source"
	"tsunaro.io/gateway/minter/observe"
	"tsunaro.io/gateway/minter/verify"
	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/api/v1alpha1"
	"tsunaro.io/gateway/renderer/document"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
)

// build is what a finished build holds of gateways.
type build struct {
	rendered map[string][]objects.Object // by the gateway's name
	asked    map[string]bool             // whether a gateway's CR in the build is suspended
}

// readBuild reads a build; nil where there is none.
func readBuild(s commandline.Streams, names []string) (*build, error) {
	if len(names) == 0 {
		return nil, nil
	}
	b := &build{map[string][]objects.Object{}, map[string]bool{}}
	var findings []rules.Finding
	for _, name := range names {
		docs, f := source.ReadArg(s.In, name)
		findings = append(findings, f...)
		for _, d := range docs {
			if err := b.add(d); err != nil {
				return nil, err
			}
		}
	}
	if len(findings) > 0 {
		return nil, rules.Refusal(rules.Sort(findings))
	}
	if len(b.gateways()) == 0 { // nothing differs from nothing
		return nil, errors.New("the build holds no gateway: did the function run (--enable-alpha-plugins --enable-exec)?")
	}
	return b, nil
}

func (b *build) add(d document.Document) error {
	t, err := tree(d)
	if err != nil {
		return err
	}
	object, _ := t.(map[string]any)
	if d.Kind == api.KindTailnetGateway {
		spec, _ := object["spec"].(map[string]any)
		suspend, set := spec["suspend"].(bool)
		b.asked[d.Name] = suspend || !set
		return nil
	}
	metadata, _ := object["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	gateway, _ := labels[api.LabelGateway].(string)
	if gateway == "" || !oneOfNine(d.Kind) {
		return nil
	}
	var data bytes.Buffer
	enc := json.NewEncoder(&data)
	enc.SetEscapeHTML(false) // placeholders have to be found
	if err := enc.Encode(object); err != nil {
		return err
	}
	if _, err := verify.Decode(d.Kind, data.Bytes()); err != nil {
		return fmt.Errorf("%s in the build: %w", d.Object(), err)
	}
	b.rendered[gateway] = append(b.rendered[gateway], objects.Object{Object: d.Object(), APIVersion: d.APIVersion, JSON: data.Bytes()})
	return nil
}

// oneOfNine reports whether a gateway has a resource of the kind.
func oneOfNine(kind string) bool {
	names := observe.Names(&v1alpha1.TailnetGateway{}, "")
	return slices.ContainsFunc(names[:], func(o rules.Object) bool { return o.Kind == kind })
}

// gateways are the names of those that the build is about, sorted.
func (b *build) gateways() []string {
	var names []string
	for name := range b.rendered {
		names = append(names, name)
	}
	for name := range b.asked {
		names = append(names, name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (b *build) has(name string) bool { return slices.Contains(b.gateways(), name) }

// suspended reports whether the build holds the gateway's CR, suspended, and none of
// its resources.
func (b *build) suspended(name string) bool { return b.asked[name] && len(b.rendered[name]) == 0 }

// bound are the gateway's objects with the UIDs of the cluster in place of the
// placeholders, as a binder fills them in. One that is built already stays.
func (b *build) bound(r view.Reading) []objects.Object {
	name := r.Gateway.Name
	fill := strings.NewReplacer(
		api.Placeholder(name, api.BindingGatewayUID), string(r.Gateway.UID),
		api.Placeholder(name, api.BindingStateUID), r.StateUID(),
	)
	out := slices.Clone(b.rendered[name])
	for i := range out {
		out[i].JSON = []byte(fill.Replace(string(out[i].JSON)))
	}
	return out
}
