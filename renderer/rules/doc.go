// Package rules is the one table of what the renderer refuses or warns about:
// the identity of each rule, its fixed text and the requirement behind it
// (ST-03). The CRDs repeat these texts where one object alone can break a rule;
// package test/corpus proves that both say the same.
package rules
