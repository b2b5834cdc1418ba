// Package zone turns a gateway's static records and a hosts source into the
// text that CoreDNS serves: Corefile, zone.db and, with extra zones, hosts
// (contract, "Fresh DNS rendering"). Same data, same bytes.
package zone
