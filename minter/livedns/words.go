package livedns

// Why GW-coredns is left alone, for people: each is said after its name (ST-03).
const (
	isIncomplete   = "the gateway is not complete yet"
	isUnproven     = "the gateway's receipt is not one to go by"
	isAnother      = "the spec asks for another zone than the gateway was completed with"
	isRefused      = "its sources are refused"
	isMissing      = "it is missing, and is not made again"
	isReplaced     = "it is not the one that was recorded"
	isDeleting     = "it is being deleted"
	isImmutable    = "it was made immutable"
	hasDrifted     = "more than its zone was changed since it was verified"
	isInconsistent = "its serial and hash do not belong to its data"
	wentBack       = "its serial is lower than one that was served before"
	isForbidden    = "the API server refuses the change"
)
