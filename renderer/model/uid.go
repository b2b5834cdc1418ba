package model

// UID reports whether s is an object UID as API servers make them: lower-case
// hexadecimal digits in the form 8-4-4-4-12. That no placeholder and no other
// text passes for one is what keeps bindings honest.
func UID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if classOf(c) != digit && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}
