// Package plan makes the decisions behind the nine resources that are more than
// a field copied: routes, DNS data and conflicts. It knows no Kubernetes type.
package plan
