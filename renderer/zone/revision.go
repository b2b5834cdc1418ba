package zone

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"math"
	"strconv"
	"strings"

	"tsunaro.io/gateway/renderer/api"
)

// Revision is what a served zone is identified by: its SOA serial and the hash
// of its data (DN-10, DL-01).
type Revision struct {
	Serial uint32 // never 0
	Hash   string // hexadecimal SHA-256
}

// The errors of a revision. A caller that gets one writes nothing (DL-03).
var (
	// ErrRevision means that the stored annotations are missing or not a revision,
	// or that they do not belong to the stored data: somebody else wrote there.
	ErrRevision = errors.New("the stored serial and hash are missing or do not match the stored zone")
	// ErrSerialExhausted means that there is no next serial. It is never wrapped
	// around: a resolver would take the new zone for an old one.
	ErrSerialExhausted = errors.New("the zone's serial is exhausted")
)

// First is the revision of a first render.
func (d Data) First() Revision { return Revision{FirstSerial, d.Hash()} }

// Next returns the revision that d is to be served as when stored is served now:
// the same one for the same data, else one serial further.
func (d Data) Next(stored Revision) (Revision, error) {
	hash := d.Hash()
	switch {
	case stored.Serial == 0:
		return Revision{}, ErrRevision
	case hash == stored.Hash:
		return stored, nil
	case stored.Serial == math.MaxUint32:
		return Revision{}, ErrSerialExhausted
	}
	return Revision{stored.Serial + 1, hash}, nil
}

// Annotations returns the revision as it is stored beside the data.
func (r Revision) Annotations() map[string]string {
	return map[string]string{
		api.AnnotationDNSSerial: strconv.FormatUint(uint64(r.Serial), 10),
		api.AnnotationDNSHash:   r.Hash,
	}
}

// ReadRevision reads the revision of a stored ConfigMap and checks it against the
// stored data: the serial must be the one that the zone's SOA has, and the hash
// that of the rest (DL-03). It does not tell who stored it.
func ReadRevision(annotations, data map[string]string) (Revision, error) {
	text := annotations[api.AnnotationDNSSerial]
	serial, err := strconv.ParseUint(text, 10, 32)
	if err != nil || serial == 0 || strconv.FormatUint(serial, 10) != text {
		return Revision{}, ErrRevision
	}
	r := Revision{uint32(serial), annotations[api.AnnotationDNSHash]}
	apex, rest, ok := cutSOA(data[api.DataZone], r.Serial)
	if !ok || !strings.HasPrefix(rest, apex+" "+ttl+" IN NS "+apex+"\n") {
		return Revision{}, ErrRevision
	}
	hosts, extra := data[api.DataHosts]
	if hash(rest, hosts, extra) != r.Hash {
		return Revision{}, ErrRevision
	}
	return r, nil
}

// cutSOA splits zone.db after its first line, which must be the SOA that file
// writes for that serial.
func cutSOA(zone string, serial uint32) (apex, rest string, ok bool) {
	first, rest, ok := strings.Cut(zone, "\n")
	apex, _, named := strings.Cut(first, " ")
	return apex, rest, ok && named && first+"\n" == soa(apex, serial)
}

func soa(apex string, serial uint32) string {
	return apex + " " + ttl + " IN SOA " + apex + " hostmaster.invalid. " +
		strconv.FormatUint(uint64(serial), 10) + " 7200 900 1209600 30\n"
}

// hash covers everything served but the serial. The hosts of extra zones count
// as soon as there are such zones, even if there are no such hosts.
func hash(records, hosts string, extra bool) string {
	h := sha256.New()
	h.Write([]byte(records))
	if extra {
		h.Write([]byte("hosts\n" + hosts))
	}
	return hex.EncodeToString(h.Sum(nil))
}
