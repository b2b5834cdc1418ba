// Package admission holds the admission policies, which docs/binding.md explains;
// `kubectl apply -k policies/admission` installs them. Its tests hold them to the
// names and tables that the rest of the product goes by; how they behave on real
// API servers is tested in test/lab/apiserver.
package admission
