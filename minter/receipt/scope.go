package receipt

import "tsunaro.io/gateway/renderer/api/v1alpha1"

// Scope is a custom resource at one of its revisions.
type Scope struct {
	Name       string `json:"name"`
	UID        string `json:"uid"`
	Generation int64  `json:"generation"`
	Revision   string `json:"resourceVersion"` // recorded, and not compared (MT-03)
	Spec       string `json:"spec"`            // hexadecimal SHA-256 of the whole spec, defaults filled in
}

// Same reports whether two scopes are the same object with the same generation
// and spec. Engines and our own status change nothing but the revision.
func (s Scope) Same(t Scope) bool {
	s.Revision, t.Revision = "", ""
	return s == t
}

// GatewayScope returns the scope of a gateway as it was read.
func GatewayScope(g *v1alpha1.TailnetGateway) Scope {
	return Scope{g.Name, string(g.UID), g.Generation, g.ResourceVersion, hash(defaultedGateway(g).Spec)}
}

// TailnetScope returns the scope of a Tailnet as it was read.
func TailnetScope(t *v1alpha1.Tailnet) Scope {
	return Scope{t.Name, string(t.UID), t.Generation, t.ResourceVersion, hash(defaultedTailnet(t).Spec)}
}

// Subject is a custom resource by what may never change of it.
type Subject struct {
	Name     string   `json:"name"`
	UID      string   `json:"uid"`
	Identity Identity `json:"identity"`
}

// GatewaySubject returns what may never change of a gateway.
func GatewaySubject(g *v1alpha1.TailnetGateway) Subject {
	return Subject{g.Name, string(g.UID), GatewayIdentity(g)}
}

// TailnetSubject returns what may never change of a Tailnet.
func TailnetSubject(t *v1alpha1.Tailnet) Subject {
	return Subject{t.Name, string(t.UID), TailnetIdentity(t)}
}
