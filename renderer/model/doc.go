// Package model holds the values a gateway is rendered from, valid by
// construction: every Parse function accepts exactly one canonical spelling, so
// that nothing after package admit parses or checks a string again.
package model
