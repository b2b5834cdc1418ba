// Package section lets several programs write one page: each has a section of its
// own between two comments, and leaves the others as they are.
package section
