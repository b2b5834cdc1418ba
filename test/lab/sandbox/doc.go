// Package sandbox starts labs, ends them in every way that is not foreseen, and
// compares the machine before and after. It needs root: make test-lab.
//
// Other tests, labs and people use the same machine meanwhile. So what is compared
// is of two kinds. What nothing else that runs here changes must be exactly as it
// was: mounts, links, addresses, routes, firewall rules, sysctls, named network
// namespaces, and the files of /etc and /dev. What changes all the time is looked
// at as far as it is this test's own: processes by a variable of their environment
// or the cgroup that they are in, cgroups by their name, network namespaces by
// their number, which is taken down while the lab lives.
package sandbox
