package commandline

import (
	"io"
	"os"
)

// Streams are the standard streams of a program, and what is known of the
// terminals that they may be.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer

	InTerminal, OutTerminal, ErrTerminal bool

	// Plain tells that the user's environment asks for no colours: NO_COLOR is set,
	// or the terminal is a dumb one.
	Plain bool

	// Width is how many columns standard output has; 0 where it is no terminal, or
	// nobody has asked.
	Width int
}

// Standard are the streams of this process.
func Standard() Streams {
	return Streams{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr,
		InTerminal: isTerminal(os.Stdin), OutTerminal: isTerminal(os.Stdout), ErrTerminal: isTerminal(os.Stderr),
		Plain: os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb",
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
