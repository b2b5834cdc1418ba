package observe

// Class says why something is not known. It is for logs and metrics; the errors
// behind it are dropped (ST-03).
type Class string

// The classes.
const (
	NotRead     Class = "NotRead"     // nobody has looked
	Unreachable Class = "Unreachable" // no answer, or none in time
	Denied      Class = "Denied"      // the answer is that we may not
	Unreadable  Class = "Unreadable"  // an answer that is not understood
)

// Fact is what a read came to: a value, the answer that there is none, or no
// answer. A read error is never an absence (LC-06). The zero Fact is Unknown
// with the class NotRead.
type Fact[T any] struct {
	value T
	kind  kind
	class Class
}

type kind uint8

const (
	unknown kind = iota
	known
	absent
)

// Known is a fact with a value.
func Known[T any](value T) Fact[T] { return Fact[T]{value: value, kind: known} }

// Absent is the answer that there is no such thing.
func Absent[T any]() Fact[T] { return Fact[T]{kind: absent} }

// Unknown is a fact that could not be had.
func Unknown[T any](why Class) Fact[T] { return Fact[T]{class: why} }

// Get returns the value; ok is false where there is none or none is known.
func (f Fact[T]) Get() (value T, ok bool) { return f.value, f.kind == known }

// Known reports whether there is a value.
func (f Fact[T]) Known() bool { return f.kind == known }

// Absent reports whether it is known that there is none.
func (f Fact[T]) Absent() bool { return f.kind == absent }

// Unknown reports whether nothing is known.
func (f Fact[T]) Unknown() bool { return f.kind == unknown }

// Class says why nothing is known; it is empty for a fact that is.
func (f Fact[T]) Class() Class {
	if f.kind == unknown && f.class == "" {
		return NotRead
	}
	return f.class
}

// Map is a fact about a thing as a fact about what matters of it.
func Map[T, U any](f Fact[T], of func(T) U) Fact[U] {
	if v, ok := f.Get(); ok {
		return Known(of(v))
	}
	return Fact[U]{kind: f.kind, class: f.class}
}
