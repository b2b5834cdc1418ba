// Package walk does what docs/start.md says, as a newcomer would: every command of
// its three walks, in a lab of the walk's own. What a block prints has to be what the
// page shows. The walks need the build tag lab, and root.
package walk
