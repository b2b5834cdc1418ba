// Package headscale runs the real, pinned Headscale: TLS of an authority of its
// own, SQLite, the embedded DERP and STUN servers, policy in the database.
//
// A server is a directory that holds everything it has: configuration,
// certificate, database, log, and the socket of its command line. Access is what
// another process needs of that directory to use a running server; Server is the
// process. Linux only.
package headscale
