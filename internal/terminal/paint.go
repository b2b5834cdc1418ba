package terminal

// Paint colours words; the zero Paint leaves them as they are. Every style adds the
// same number of bytes, so that a column of a text/tabwriter stays one if all of its
// cells are painted.
type Paint bool

func (p Paint) in(code, text string) string {
	if !p {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// The styles: what is wrong, what is right, what needs a look, what leads the eye,
// what may be passed over, and what is just there in a column of the others.
func (p Paint) Red(text string) string    { return p.in("31;1", text) }
func (p Paint) Green(text string) string  { return p.in("32;1", text) }
func (p Paint) Yellow(text string) string { return p.in("33;1", text) }
func (p Paint) Bold(text string) string   { return p.in("39;1", text) }
func (p Paint) Dim(text string) string    { return p.in("39;2", text) }
func (p Paint) None(text string) string   { return p.in("39;0", text) }
