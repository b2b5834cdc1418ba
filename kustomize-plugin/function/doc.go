// Package function is the KRM function: a ResourceList in, a ResourceList out
// (RN-10). It is a thin skin over package renderer and reads no file but those
// that a GatewayRender lists as inputs.
package function
