package api

// Bounds on lists and maps: how many entries a field may hold. The CRDs carry
// the same numbers, as maxItems and maxProperties, and the renderer refuses the
// same inputs (rule too-many). They are part of the API: raising one is safe,
// lowering one is not.
const (
	MaxTags            = 16   // spec.tags
	MaxLANRoutes       = 256  // spec.routes.lan
	MaxPoolLabels      = 32   // spec.poolLabels
	MaxRecords         = 1024 // spec.dns.records
	MaxRecordAddresses = 16   // spec.dns.records[].addresses
	MaxExtraZones      = 16   // spec.dns.extraZones
	MaxUpstreams       = 8    // spec.dns.extraZones[].upstreams (DN-08)
	MaxSysctls         = 16   // spec.pod.sysctls
	MaxTolerations     = 16   // spec.pod.tolerations
	MaxNodeSelector    = 32   // spec.pod.nodeSelector
	MaxForwards        = 16   // spec.forwards
	MaxAdoptionObjects = 32   // spec.adoption.objects
	MaxEgressTargets   = 256  // spec.targets of a TailnetEgress
	MaxDrift           = 16   // status.drift
)

// Bounds on strings, in bytes. Every string that is checked is ASCII, so that
// the API server's count of characters is the same number.
const (
	MaxSysctlValue = 512 // spec.pod.sysctls[].value
	MaxURL         = 512 // spec.controlURL, spec.apiURL
	MaxImage       = 456 // spec.images.*: a name of 255, a tag of 128 and a digest
	MaxPrefix      = 49  // an address, '/' and the length: room to name an IPv6 prefix as such
	MaxAddress     = 45  // the longest textual IP address
	MaxRecordName  = 254 // a DNS name with its final dot
	MaxZone        = 253 // a DNS name without final dot
	MaxGatewayName = 40  // metadata.name of a TailnetGateway (LC-01)
	MaxLabel       = 63  // a DNS label, a label value, the name part of a label key
	MaxSubdomain   = 253 // names of referenced objects, data keys, sysctl names
)
