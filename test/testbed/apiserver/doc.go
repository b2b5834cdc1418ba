// Package apiserver runs real Kubernetes API servers for tests: etcd and one
// kube-apiserver, a controller manager where a test needs one, and the kubectl
// of the same version. There is no node and nothing ever runs a Pod.
//
// The programs are the pinned ones of test/tools. Each server has a directory
// and a loopback address of its own, so that test packages run side by side.
// Linux only.
package apiserver
