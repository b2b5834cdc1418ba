package model

import (
	"regexp"
	"sync"

	"k8s.io/apimachinery/pkg/api/resource"
)

var sysctlName = sync.OnceValue(func() *regexp.Regexp {
	const part = `[a-z0-9]([-_a-z0-9]*[a-z0-9])?`
	return regexp.MustCompile(`^` + part + `([./]` + part + `)*$`)
})

// maxQuantity bounds the text of a quantity, in bytes.
const maxQuantity = 32

// hugeExponent finds an exponent of three digits or more: the Kubernetes parser
// writes out all its zeros, and takes minutes for 1e-999999999.
var hugeExponent = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[eE][+-]?[0-9]{3}`) })

// ParseQuantity accepts a Kubernetes quantity that is not negative and returns
// it in canonical form, so that no server ever spells it differently.
func ParseQuantity(s string) (canonical string, ok bool) {
	if len(s) > maxQuantity || hugeExponent().MatchString(s) {
		return "", false
	}
	q, err := resource.ParseQuantity(s)
	if err != nil || q.Sign() < 0 {
		return "", false
	}
	return q.String(), true
}

// Served returns a canonical quantity as a Pod gets it: API servers round it up
// to thousandths.
func Served(canonical string) string {
	q := resource.MustParse(canonical)
	q.RoundUp(resource.Milli)
	return q.String()
}

// MoreThan reports whether canonical quantity a is more than b.
func MoreThan(a, b string) bool {
	x, y := resource.MustParse(a), resource.MustParse(b)
	return x.Cmp(y) > 0
}

// SysctlName reports whether s is the name of a sysctl.
func SysctlName(s string) bool { return len(s) <= maxSubdomain && sysctlName().MatchString(s) }
