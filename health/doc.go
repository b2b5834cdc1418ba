// Package health says in one word how a gateway is, from nothing but its object:
// Healthy, Suspended, Progressing, Degraded, or Missing. Argo CD (health/argocd),
// Flux (health/flux) and kubectl-tsunaro give the same verdict, which comes from
// the one table of conditions:
//
// A gateway is Progressing until the minter has confirmed its present generation,
// and as long as Ready waits; nothing makes that worse, because what is not there
// yet cannot be wrong. Once Ready is True the worst of the other conditions counts:
// what is on its way (an engine that is behind, a route that is not approved) is
// Progressing, what somebody has to mend (drift, a zone that cannot follow) is
// Degraded, and what may stay as it is (a Pod with an older template, a Service that
// no load balancer gives an address) leaves it Healthy and is told in the message. What will not heal
// by itself (Stalled) is Degraded, a suspended gateway is Suspended, and what this
// version does not know is never Healthy.
package health
