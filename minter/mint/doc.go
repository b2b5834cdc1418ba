// Package mint says what key is asked for, and whether what came back is that
// key: from Headscale's answer (MT-01), and from the API server's when it has
// been stored (MT-02).
//
// Nothing here takes Headscale's list of keys: it shows masked keys of anybody's,
// and to whom one belongs cannot be told from it (MT-08).
package mint
