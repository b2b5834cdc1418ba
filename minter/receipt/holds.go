package receipt

// Holds reports whether value is what the identity holds at a path. A list is
// compared as it was written, in its order.
func (i Identity) Holds(path string, value any) bool {
	h, ok := i[path]
	return ok && h == hash(value)
}
