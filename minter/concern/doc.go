// Package concern says whose zone a change of a hosts source may concern, without
// rendering a zone: a gateway that it does not name serves the same before and
// after. It only decides who is woken; what is served is decided on what is read.
package concern
