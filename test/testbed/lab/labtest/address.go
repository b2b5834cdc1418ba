package labtest

import "fmt"

// ServiceIP is a cluster IP for the n-th gateway of a test, from 0 on. The API server
// takes those that it gives by itself from the rest of the range as long as it can: a
// Service that asks for one of these first 190 meets no other's. Behind them one may.
func ServiceIP(n int) string {
	const first, kept, perRow = 60, 190, 200
	if n < kept {
		return fmt.Sprintf("10.96.0.%d", first+n)
	}
	n -= kept
	return fmt.Sprintf("10.96.%d.%d", 64+n/perRow, n%perRow+1)
}
