// Package tap stands between a process and the servers that it talks to. It writes
// down what the process writes, in one order over all of them, and can end the
// process right before a write reaches its server, or right after the server has
// answered it: the two moments of a crash that the process's own logs cannot tell
// apart.
//
// Towards the process it speaks plain HTTP on 127.0.0.1, towards a server whatever
// the transport speaks, with the transport's identity. Reads, watches among them,
// pass through.
package tap
