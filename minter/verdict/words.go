package verdict

// What leads on where a change has to be taken back, for people.
const (
	restore = "Restore it from Git"
	revert  = "Revert the field in Git"
)

// What is wrong with an object, for people: each is said after its name (ST-03).
const (
	isMissing  = "is missing"
	isDeleting = "is being deleted"
	isReplaced = "is not the one that was recorded"
	isEdited   = "was edited after it was made"

	isTaken     = "is in the way: this gateway did not make it"
	isRetained  = "is left of an earlier gateway of this name"
	isForeign   = "does not belong to this gateway"
	isUnowned   = "is not the Pod of this gateway's StatefulSet"
	hasRun      = "has started before there was a key for it"
	hasName     = "has the name that this gateway's node is to have"
	isLeft      = "was not made in this attempt"
	isUnproven  = "was made in an attempt that nobody can prove any more"
	isOther     = "does not record this attempt"
	isIllegible = "is not readable as a receipt of this minter"
	isUseless   = "cannot become the state of a new node"
	hasExpired  = "holds a key that has expired, and no node has registered with it"
	mayExist    = "is missing, and a key may exist that was made for it"
	isNoEntry   = "holds an entry that the minter did not write"
	namesOther  = "names another state for this gateway"

	isUnbound   = "is not bound to this gateway and its state"
	isOlder     = "is older than this gateway's state"
	isDifferent = "is not as it was rendered"
	hasDrifted  = "was changed since it was verified"
	hasFollowed = "was changed since it was verified, with a pinned field of the spec"
	isPinned    = "is pinned, and the spec now asks for another"

	isUnapplied = "is not applied yet"
	isLate      = "is not synced yet"
	isUnchecked = "has not passed its preflight check yet"
	isUnwritten = "could not be written, and is tried again"
	isKeyless   = "gave no key, and is asked again"

	wasChanged = "was changed"
	isFormer   = "is of an earlier format"
)
