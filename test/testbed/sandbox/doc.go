// Package sandbox keeps what a lab does away from the machine: processes,
// mounts, network, cgroups and files of their own, which all end with one
// process, however it ends.
//
// A sandbox is a directory on disk, a cgroup, and a process that is the first in
// new PID, mount, network, UTS and IPC namespaces. Killing that process takes
// every other one with it, and the namespaces with them; what the kernel leaves
// behind, empty cgroups and the directory, Sweep removes. Whether a sandbox
// lives is told by a lock on a file in its directory, which the kernel releases.
//
// It needs root. Linux only.
package sandbox
