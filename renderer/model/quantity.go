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

// ParseQuantity accepts a Kubernetes quantity that is not negative and returns
// it in canonical form, so that no server ever spells it differently.
func ParseQuantity(s string) (canonical string, ok bool) {
	q, err := resource.ParseQuantity(s)
	if err != nil || q.Sign() < 0 {
		return "", false
	}
	return q.String(), true
}

// MoreThan reports whether canonical quantity a is more than b.
func MoreThan(a, b string) bool {
	x, y := resource.MustParse(a), resource.MustParse(b)
	return x.Cmp(y) > 0
}

// SysctlName reports whether s is the name of a sysctl.
func SysctlName(s string) bool { return len(s) <= maxSubdomain && sysctlName().MatchString(s) }
