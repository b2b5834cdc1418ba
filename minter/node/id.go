package node

import (
	"cmp"
	"strconv"
)

// ParseID accepts the canonical decimal spelling of an unsigned 64-bit number
// that is not zero, and nothing else.
func ParseID(s string) (id ID, ok bool) {
	n, err := strconv.ParseUint(s, 10, 64)
	if err != nil || n == 0 || strconv.FormatUint(n, 10) != s {
		return "", false
	}
	return ID(s), true
}

// Compare orders canonical IDs as numbers.
func (id ID) Compare(other ID) int {
	return cmp.Or(cmp.Compare(len(id), len(other)), cmp.Compare(id, other))
}
