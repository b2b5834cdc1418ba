// Package page holds pages of the documentation to what tests find: parts of them
// between two comments, and their code blocks.
package page
