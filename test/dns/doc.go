// Package dns tells what a gateway must answer, without the renderer: an oracle
// written from RFC 1034 (4.3.2), RFC 2308, RFC 4592 and the product's own
// requirements (DN-01 to DN-08), and the zones and questions that it is asked
// about. It shares no code with the renderer, which turns the same data into
// files, nor with CoreDNS, which answers from them, and uses no DNS library.
package dns
