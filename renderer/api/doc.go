// Package api holds the names of the tsunaro.io API that need no Kubernetes
// library: group, version, kinds, object names, label, annotation and data
// keys, the table of conditions and the table of field classes.
//
// It is separate from package v1alpha1, whose Go types pull in apimachinery,
// so that the KRM function starts quickly.
package api
