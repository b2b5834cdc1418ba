// Package view makes of what was read about a gateway what a person wants to see:
// one verdict, why, what to do next, and then everything else. The verdict is that
// of package health; how the nine differ is what package verify says, the live zone
// what package livedns says, and the texts are those of the one table. Nothing is
// judged here a second time.
//
// What could not be read is unknown, and never fine. Texts and colours are for
// people; the JSON of a Gateway is for programs.
package view
