// Package commandline is what the command lines of tsunaro-fn and kubectl-tsunaro
// have in common: streams, exit codes, flags with fixed values, colours, JSON, and
// the version of the program. It knows no command.
package commandline
