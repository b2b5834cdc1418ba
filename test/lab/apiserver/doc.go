// Package apiserver runs the product's objects, CRDs and admission policies on
// real API servers of every supported version. Its tests have the build tag lab.
package apiserver
