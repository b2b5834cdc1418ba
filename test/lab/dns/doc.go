// Package dns asks the real CoreDNS, serving exactly what the renderer wrote, and
// compares every answer with the oracle's (DN-12). It needs root:
// make test-lab.
package dns
