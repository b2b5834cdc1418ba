// Package terminal is how texts look on a terminal: styles that keep columns, and
// lines that are not too long. It writes nothing by itself.
package terminal
