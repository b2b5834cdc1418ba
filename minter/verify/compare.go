package verify

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"tsunaro.io/gateway/renderer/api"
	"tsunaro.io/gateway/renderer/digest"
	"tsunaro.io/gateway/renderer/objects"
	"tsunaro.io/gateway/renderer/rules"
	"tsunaro.io/gateway/renderer/zone"
)

// Pinned is the class of every field that digest.Fields does not list.
const Pinned digest.Class = 0

// Difference is a field in which a live object is not as rendered.
type Difference struct {
	Object rules.Object
	Path   string // such as spec.template.spec.containers[tailscale].image

	// Class is Pinned; digest.Mutable where the engine may change the field; or
	// digest.Live where serial and hash of GW-coredns do not belong to its data.
	Class digest.Class
}

// Compare returns the fields in which a live object differs from the rendering:
// first the pinned ones, then the Live one, then the mutable ones, each in order.
// What the API server allocates, and what the minter owns once the object exists,
// is not compared (digest.Fields). Of metadata only tsunaro.io/ keys are, and the
// pool labels that are rendered. An object of another type differs in its kind.
func Compare(want objects.Object, live Live) []Difference {
	rendered := typed(want)
	pinned := differing(rendered, live, digest.Allocated, digest.Live, digest.Mutable)
	mutable := slices.DeleteFunc(differing(rendered, live, digest.Allocated, digest.Live),
		func(path string) bool { return slices.Contains(pinned, path) })
	mutable = append(mutable, poolLabels(rendered, live)...)
	var found []Difference
	for _, c := range []struct {
		class digest.Class
		paths []string
	}{{Pinned, pinned}, {digest.Live, revision(live)}, {digest.Mutable, mutable}} {
		for _, path := range c.paths {
			found = append(found, Difference{want.Object, path, c.class})
		}
	}
	return found
}

// typed is a rendered object as the typed struct of its kind.
func typed(want objects.Object) Live {
	o, err := Decode(want.Kind, want.JSON)
	if err != nil {
		panic(err) // tests decode every kind that is rendered
	}
	return o
}

// differing returns the paths in which two objects differ without the fields of
// the classes.
func differing(want, live Live, without ...digest.Class) []string {
	w, _ := tree(want) // typed
	l, err := tree(live)
	if err != nil || w["kind"] != l["kind"] {
		return []string{"kind"}
	}
	digest.Blank(w, without...)
	blankAs(l, w, without)
	return differences(w, l)
}

// blankAs removes the fields that an object of want's type has of the classes: of
// a Service of another type, the type differs and not what goes with it.
func blankAs(live, want map[string]any, classes []digest.Class) {
	wanted, _ := want["spec"].(map[string]any)
	spec, _ := live["spec"].(map[string]any)
	if is, typed := spec["type"]; typed {
		spec["type"] = wanted["type"]
		defer func() { spec["type"] = is }()
	}
	digest.Blank(live, classes...)
}

// poolLabels returns the paths of the rendered labels of others that the live
// object does not have: those of the load balancer's pool. That one of ours has
// to go, the annotation with their keys tells.
func poolLabels(want, live Live) []string {
	var paths []string
	have := live.GetLabels()
	for key, value := range want.GetLabels() {
		if got, ok := have[key]; !api.OwnedKey(key) && (!ok || got != value) {
			paths = append(paths, "metadata.labels"+step(key))
		}
	}
	slices.Sort(paths)
	return paths
}

// revision returns a path if the object is a zone whose serial and hash do not
// belong to its data (DL-03).
func revision(live Live) []string {
	zoned, ok := live.(*corev1.ConfigMap)
	if !ok {
		return nil
	}
	if _, err := zone.ReadRevision(zoned.Annotations, zoned.Data); err != nil {
		return []string{"metadata.annotations" + step(api.AnnotationDNSSerial)}
	}
	return nil
}

// Digest returns the hexadecimal SHA-256 of what a completion receipt pins of a
// live object under receipt.CurrentRule: what Compare calls pinned. The error is
// ErrType.
func Digest(live Live) (string, error) {
	t, err := tree(live)
	if err != nil {
		return "", err
	}
	digest.Blank(t, digest.Allocated, digest.Live, digest.Mutable)
	return sum(t)
}

// sum is the hexadecimal SHA-256 of an object's canonical JSON.
func sum(t map[string]any) (string, error) {
	data, err := json.Marshal(t)
	if err != nil {
		return "", ErrType
	}
	hash := sha256.Sum256(data)
	return hex.EncodeToString(hash[:]), nil
}

// RenderedDigest is the Digest of a live object that is as rendered.
func RenderedDigest(want objects.Object) string {
	d, err := Digest(typed(want))
	if err != nil {
		panic(err) // typed
	}
	return d
}
