// Package tailnet decides about the minter's working key of one Tailnet: when it
// is made, stored, replaced and ended, and what the status says meanwhile
// (MT-06). It decides in values; package tailnets reads and acts.
package tailnet
