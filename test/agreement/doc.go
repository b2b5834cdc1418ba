// Package agreement runs the one corpus of accepted and refused inputs through
// every engine that knows the rules, so that they cannot come to disagree
// (CF-07).
package agreement
